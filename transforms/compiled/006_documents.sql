-- path: models/marts/documents.sql
-- kind: table
-- schema: marts
-- table: documents
-- tests: grain_documents_shop_id__document_type__document_id

with line_sums as (
    select * from "intermediate"."int_line_sums" where not is_returned
),

return_sums as (
    select shop_id, document_type, document_id, sum(amount) as amount, count(*) as returns
    from "intermediate"."int_returns"
    group by 1, 2, 3
),

payment_sums as (
    select
        shop_id, document_type, document_id,
        sum(amount) as amount,
        count(*) as payments,
        max(case when amount > 0 then day end) as last_day
    from "intermediate"."int_document_payments"
    group by 1, 2, 3
),

figures as (
    select
        documents.*,
        -- A total the service left out or wrote unreadably is the sum of the lines, and says so.
        cast(coalesce(documents.amount_total, line_sums.total) as decimal(28, 4)) as gross,
        cast(coalesce(documents.tax_total, line_sums.tax) as decimal(28, 4)) as tax,
        case
            when documents.amount_total is not null then 'document'
            when line_sums.total is not null then 'lines'
            else 'unknown'
        end as amount_source,
        cast(coalesce(return_sums.amount, 0) as decimal(28, 4)) as returned,
        coalesce(return_sums.returns, 0) as returns,
        cast(coalesce(payment_sums.amount, 0) as decimal(28, 4)) as paid,
        coalesce(payment_sums.payments, 0) as payments,
        payment_sums.last_day as last_payment_day,
        line_sums.cost,
        line_sums.uncosted,
        line_sums.uncosted_net
    from "intermediate"."int_documents" as documents
    left join line_sums on line_sums.shop_id = documents.shop_id
        and line_sums.document_type = documents.document_type
        and line_sums.document_id = documents.document_id
    left join return_sums on return_sums.shop_id = documents.shop_id
        and return_sums.document_type = documents.document_type
        and return_sums.document_id = documents.document_id
    left join payment_sums on payment_sums.shop_id = documents.shop_id
        and payment_sums.document_type = documents.document_type
        and payment_sums.document_id = documents.document_id
)

select
    shop_id,
    document_type,
    document_id,
    document_number,
    ticket_id,
    customer_id,
    customer_name,
    status,
    created_at,
    created_day,
    due_day,
    ticket_day,
    last_payment_day,
    gross,
    tax,
    cast(gross - coalesce(tax, 0) as decimal(28, 4)) as net,
    tax is not null as is_tax_known,
    amount_source,
    returned,
    returns,
    paid,
    payments,
    -- Refunds are negative payments, so what was returned and refunded cancels out.
    cast(gross - returned - paid as decimal(28, 4)) as due,
    case
        when lower(status) = 'paid' then true
        when lower(status) = 'due' then false
        else coalesce(gross, 0) - returned - paid <= 0
    end as is_paid,
    cast(cost as decimal(28, 4)) as cost,
    cast(coalesce(uncosted, gross, 0) as decimal(28, 4)) as uncosted,
    cast(coalesce(uncosted_net, gross - coalesce(tax, 0), 0) as decimal(28, 4)) as uncosted_net,
    last_updated_at,
    seen_at
from figures
