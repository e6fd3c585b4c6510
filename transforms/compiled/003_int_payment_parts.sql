-- path: models/intermediate/int_payment_parts.sql
-- kind: table
-- schema: intermediate
-- table: int_payment_parts

-- Payments that settled several invoices (specification, POST /payments), with what each of these shows of them. A
-- table of few rows or none: it is looked up for each payment.

with shown as (
    select shop_id, coalesce(id, payment_id) as id, invoice_id, amount
    from "staging"."ticket_invoices__payments"
),

several as (
    select shop_id, id
    from shown
    where id is not null
    group by 1, 2
    having min(invoice_id) <> max(invoice_id)
),

settled as (
    select
        shown.shop_id, shown.id, shown.invoice_id, documents.created_day as document_day, shown.amount,
        documents.amount_total
    from shown
    inner join several on several.shop_id = shown.shop_id and several.id = shown.id
    inner join "intermediate"."int_documents" as documents
        on documents.shop_id = shown.shop_id
        and documents.document_type = 'ticket_invoice'
        and documents.document_id = shown.invoice_id
),

-- What else lessens what an invoice owes: returns, and payments of its own.
lessened as (
    select shop_id, invoice_id, sum(amount) as amount
    from (
        select shop_id, document_id as invoice_id, amount
        from "intermediate"."int_returns"
        where document_type = 'ticket_invoice'
        union all
        select shown.shop_id, shown.invoice_id, shown.amount
        from shown
        left join several on several.shop_id = shown.shop_id and several.id = shown.id
        where several.id is null
    ) as each_of_them
    group by 1, 2
),

owing as (
    select
        settled.*,
        greatest(coalesce(settled.amount_total, 0) - coalesce(lessened.amount, 0), 0) as owed
    from settled
    left join lessened on lessened.shop_id = settled.shop_id and lessened.invoice_id = settled.invoice_id
),

divided as (
    select
        owing.*,
        sum(amount) over (partition by shop_id, id) as whole,
        min(amount) over (partition by shop_id, id) as smallest,
        max(amount) over (partition by shop_id, id) as largest,
        sum(owed) over (partition by shop_id, id order by document_day, invoice_id rows unbounded preceding) as owed_so_far,
        lead(invoice_id) over (partition by shop_id, id order by document_day, invoice_id) is null as is_last
    from owing
)

select
    shop_id, id, invoice_id, document_day, amount, whole,
    -- Where each shows the payment whole: the oldest is settled first, and the last gets what is left.
    case when smallest = largest and smallest > 0 then smallest end as whole_in_each,
    cast(case when is_last then greatest(smallest - (owed_so_far - owed), 0)
        else greatest(least(owed, smallest - (owed_so_far - owed)), 0) end as decimal(28, 4)) as share
from divided
