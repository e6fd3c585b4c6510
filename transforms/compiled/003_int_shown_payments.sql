-- path: models/intermediate/int_shown_payments.sql
-- kind: view
-- schema: intermediate
-- table: int_shown_payments

-- Payments as records show them that exist: documents, and tickets. A record may show several, and
-- several records may show one payment.
with of_documents as (
    select
        shop_id, coalesce(id, payment_id) as id, 'ticket_invoice' as holder_type, invoice_id as holder_id, position,
        amount, paid_at, paid_day, is_advance, payment_method_id, payment_method_title,
        payment_note, 1 as preference
    from "staging"."ticket_invoices__payments"
    union all
    select
        shop_id, coalesce(id, payment_id) as id, 'pos_order' as holder_type, order_id as holder_id, position,
        amount, paid_at, paid_day, is_advance, payment_method_id, payment_method_title,
        payment_note, 2 as preference
    from "staging"."pos_orders__payments"
),

-- A ticket repeats the payments of its invoice, and alone shows those made before it has one.
of_tickets as (
    select
        shop_id, coalesce(id, payment_id) as id, 'ticket' as holder_type, ticket_id as holder_id, position,
        amount, paid_at, paid_day, is_advance, payment_method_id, payment_method_title,
        payment_note, 3 as preference
    from "staging"."tickets__payments"
),

documents as (
    select shop_id, document_type, document_id, seen_at from "intermediate"."int_documents"
),

tickets as (
    select shop_id, id, seen_at from "staging"."tickets" where deleted_at is null
),

-- Only what stands in a record that exists; when that record was last read decides later.
standing as (
    select
        of_documents.*,
        documents.seen_at as holder_seen_at
    from of_documents
    inner join documents
        on documents.shop_id = of_documents.shop_id
        and documents.document_type = of_documents.holder_type
        and documents.document_id = of_documents.holder_id
    union all
    select
        of_tickets.*,
        tickets.seen_at as holder_seen_at
    from of_tickets
    inner join tickets
        on tickets.shop_id = of_tickets.shop_id and tickets.id = of_tickets.holder_id
)

select
    shop_id,
    -- A payment without any number still is one payment of its document.
    coalesce(id, concat(holder_type, ':', holder_id, ':', position)) as id,
    holder_type, holder_id, position, amount, paid_at, paid_day, is_advance, payment_method_id,
    payment_method_title, payment_note, preference, holder_seen_at
from standing
