-- path: models/marts/payments.sql
-- kind: table
-- schema: marts
-- table: payments
-- tests: accepted_values_payments_kind__sale__receivable__advance__refund, grain_payments_shop_id__id

-- Payments embedded in documents name their document, which the list of payments does not; the
-- list has those that no document shows. Both together, each payment once.
with ranked as (
    select
        *,
        row_number() over (partition by shop_id, id order by preference, holder_id, position) as place
    from "intermediate"."int_shown_payments"
),

returns as (
    select shop_id, id, document_type, document_id,
        row_number() over (partition by shop_id, id order by document_type, document_id) as place
    from "intermediate"."int_returns"
    where id is not null
),

together as (
    select
        coalesce(listed.shop_id, ranked.shop_id) as shop_id,
        coalesce(listed.id, ranked.id) as id,
        coalesce(listed.paid_at, ranked.paid_at) as paid_at,
        coalesce(listed.paid_day, ranked.paid_day) as day,
        coalesce(listed.amount, ranked.amount) as amount,
        coalesce(listed.is_advance, ranked.is_advance, false) as is_advance,
        coalesce(listed.payment_method_id, ranked.payment_method_id) as payment_method_id,
        coalesce(listed.payment_method_title, ranked.payment_method_title) as payment_method_title,
        coalesce(listed.payment_note, ranked.payment_note) as note,
        listed.kind as service_kind,
        coalesce(
            nullif(ranked.holder_type, 'ticket'),
            case
                when listed.invoice_id is not null then 'ticket_invoice'
                when listed.pos_id is not null then 'pos_order'
            end,
            returns.document_type
        ) as document_type,
        coalesce(
            case when ranked.holder_type <> 'ticket' then ranked.holder_id end,
            listed.invoice_id, listed.pos_id, returns.document_id
        ) as document_id,
        case when ranked.holder_type = 'ticket' then ranked.holder_id end as ticket_id,
        listed.id is not null as is_listed,
        ranked.id is not null as is_embedded
    from (select * from ranked where place = 1) as ranked
    full outer join "staging"."payments" as listed
        on listed.shop_id = ranked.shop_id and listed.id = ranked.id
    left join returns
        on returns.shop_id = listed.shop_id
        and returns.id = listed.return_id
        and returns.place = 1
    -- A deletion counts unless the document was read after it and still shows the payment.
    where listed.deleted_at is null or ranked.holder_seen_at > listed.deleted_at
),

tickets as (
    -- Few payments are of a ticket that has no document yet.
    select * from "staging"."tickets"
    where deleted_at is null
        and id in (select distinct holder_id from "intermediate"."int_shown_payments" where holder_type = 'ticket')
),

business as (
    select
        together.*,
        shops.today_by,
        documents.document_number,
        documents.created_day as document_day,
        coalesce(documents.ticket_id, together.ticket_id) as of_ticket_id,
        coalesce(documents.ticket_day, tickets.created_day) as ticket_day,
        coalesce(documents.customer_id, tickets.customer_id) as customer_id,
        coalesce(documents.customer_name, tickets.customer_name, customers.name) as customer_name,
        coalesce(together.payment_method_title, payment_methods.title, together.payment_method_id) as payment_method
    from together
    inner join "intermediate"."int_shops" as shops on shops.shop_id = together.shop_id
    left join "intermediate"."int_documents" as documents on documents.shop_id = together.shop_id
        and documents.document_type = together.document_type
        and documents.document_id = together.document_id
    left join tickets
        on tickets.shop_id = together.shop_id and tickets.id = together.ticket_id
    left join "staging"."customers" as customers on customers.shop_id = tickets.shop_id and customers.id = tickets.customer_id
    left join "staging"."payment_methods" as payment_methods on payment_methods.shop_id = together.shop_id and payment_methods.id = together.payment_method_id
),

kinds as (
    select
        business.*,
        case
        when amount < 0 or service_kind = 'return' then 'refund'
        when is_advance or day < document_day then 'advance'
        when document_id is null and ticket_id is not null then 'advance'
        when day > document_day then 'receivable'
        else 'sale'
    end as kind,
        case
        when amount < 0 or service_kind = 'return' then 'refund'
        when is_advance or day < ticket_day then 'advance'
        when document_id is null and ticket_id is not null then 'advance'
        when day > ticket_day then 'receivable'
        else 'sale'
    end as kind_by_ticket
    from business
)

select
    shop_id,
    id,
    day,
    amount,
    kind,
    kind_by_ticket,
    case when today_by = 'ticket' then kind_by_ticket else kind end as kind_chosen,
    document_type,
    document_id,
    of_ticket_id as ticket_id,
    document_number,
    document_day,
    ticket_day,
    customer_id,
    customer_name,
    paid_at,
    payment_method_id,
    payment_method,
    note,
    is_advance,
    is_listed,
    is_embedded
from kinds
