-- path: models/intermediate/int_shown_payments.sql
-- kind: view
-- schema: intermediate
-- table: int_shown_payments

-- Payments as records show them that exist: documents, and tickets. A record may show several, and
-- several records may show one payment. A ticket repeats the payments of its invoice, and alone shows
-- those made before it has one.

with payments as (
    select
        shop_id, coalesce(id, payment_id) as id, 'ticket_invoice' as holder_type, invoice_id as holder_id,
        position, amount, paid_at, paid_day, is_advance, payment_method_id, payment_method_title,
        payment_note, 1 as preference
    from "staging"."ticket_invoices__payments"
    union all
    select
        shop_id, coalesce(id, payment_id) as id, 'pos_order' as holder_type, order_id as holder_id,
        position, amount, paid_at, paid_day, is_advance, payment_method_id, payment_method_title,
        payment_note, 2 as preference
    from "staging"."pos_orders__payments"
    union all
    select
        shop_id, coalesce(id, payment_id) as id, 'ticket' as holder_type, ticket_id as holder_id,
        position, amount, paid_at, paid_day, is_advance, payment_method_id, payment_method_title,
        payment_note, 3 as preference
    from "staging"."tickets__payments"
    
    ),

holders as (
    select shop_id, document_type as holder_type, document_id as holder_id, seen_at from "intermediate"."int_documents"
    union all
    select shop_id, 'ticket' as holder_type, id as holder_id, seen_at
    from "staging"."tickets"
    where deleted_at is null
)

-- When the record was last read decides later.
select
    payments.shop_id,
    -- A payment without any number still is one payment of its document.
    coalesce(payments.id, concat(payments.holder_type, ':', payments.holder_id, ':', payments.position)) as id,
    payments.holder_type, payments.holder_id, payments.position, amount, paid_at, paid_day, is_advance,
    payment_method_id, payment_method_title, payment_note, preference, holders.seen_at as holder_seen_at
from payments
inner join holders
    on holders.shop_id = payments.shop_id
    and holders.holder_type = payments.holder_type
    and holders.holder_id = payments.holder_id
