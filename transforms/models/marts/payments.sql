-- Payments embedded in documents name their document, which the list of payments does not; the
-- list has those that no document shows. Both together, each payment once.
with ranked as (
    select
        *,
        row_number() over (partition by shop_id, id order by preference, holder_id, position) as place
    from {{ ref('int_shown_payments') }}
),

returns as (
    select shop_id, id, document_type, document_id,
        row_number() over (partition by shop_id, id order by document_type, document_id) as place
    from {{ ref('int_returns') }}
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
    full outer join {{ ref('stg_payments') }} as listed
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
    select * from {{ ref('stg_tickets') }}
    where deleted_at is null
        and id in (select distinct holder_id from {{ ref('int_shown_payments') }} where holder_type = 'ticket')
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
    inner join {{ ref('int_shops') }} as shops on shops.shop_id = together.shop_id
    left join {{ ref('int_documents') }} as documents on {{ same_document('documents', 'together') }}
    left join tickets
        on tickets.shop_id = together.shop_id and tickets.id = together.ticket_id
    {{ named_in('customers', 'tickets', 'customer_id') }}
    {{ named_in('payment_methods', 'together', 'payment_method_id') }}
),

kinds as (
    select
        business.*,
        {{ payment_kind('document_day') }} as kind,
        {{ payment_kind('ticket_day') }} as kind_by_ticket
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
