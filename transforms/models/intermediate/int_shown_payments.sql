-- Payments as records show them that exist: documents, and tickets. A record may show several, and
-- several records may show one payment. A table: payments are found by it that change with a record.
-- depends_on: {{ ref('int_shown_before') }}
{% set holder = {'shop_id': 'shop_id', 'record_type': 'holder_type', 'record_id': 'holder_id'} %}
{{ config(materialized='table', meta=replaced_by('int_changed_records', holder)) }}
with of_documents as (
    select
        shop_id, coalesce(id, payment_id) as id, 'ticket_invoice' as holder_type, invoice_id as holder_id, position,
        amount, paid_at, paid_day, is_advance, payment_method_id, payment_method_title,
        payment_note, 1 as preference
    from {{ ref('stg_ticket_invoices__payments') }} as payments
    where {{ is_changed('int_changed_records', 'payments', {'shop_id': 'shop_id', 'record_type': "'ticket_invoice'", 'record_id': 'invoice_id'}) }}
    union all
    select
        shop_id, coalesce(id, payment_id) as id, 'pos_order' as holder_type, order_id as holder_id, position,
        amount, paid_at, paid_day, is_advance, payment_method_id, payment_method_title,
        payment_note, 2 as preference
    from {{ ref('stg_pos_orders__payments') }} as payments
    where {{ is_changed('int_changed_records', 'payments', {'shop_id': 'shop_id', 'record_type': "'pos_order'", 'record_id': 'order_id'}) }}
),

-- A ticket repeats the payments of its invoice, and alone shows those made before it has one.
of_tickets as (
    select
        shop_id, coalesce(id, payment_id) as id, 'ticket' as holder_type, ticket_id as holder_id, position,
        amount, paid_at, paid_day, is_advance, payment_method_id, payment_method_title,
        payment_note, 3 as preference
    from {{ ref('stg_tickets__payments') }} as payments
    where {{ is_changed('int_changed_records', 'payments', {'shop_id': 'shop_id', 'record_type': "'ticket'", 'record_id': 'ticket_id'}) }}
),

documents as (
    select shop_id, document_type, document_id, seen_at
    from {{ ref('int_documents') }} as documents
    where {{ is_changed('int_changed_records', 'documents', {'shop_id': 'shop_id', 'record_type': 'document_type', 'record_id': 'document_id'}) }}
),

tickets as (
    select shop_id, id, seen_at
    from {{ ref('stg_tickets') }} as tickets
    where deleted_at is null
        and {{ is_changed('int_changed_records', 'tickets', {'shop_id': 'shop_id', 'record_type': "'ticket'", 'record_id': 'id'}) }}
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
