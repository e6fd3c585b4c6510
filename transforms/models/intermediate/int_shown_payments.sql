-- Payments as records show them that exist: documents, and tickets. A record may show several, and
-- several records may show one payment. A ticket repeats the payments of its invoice, and alone shows
-- those made before it has one.
{% set shown = [
    ('ticket_invoice', 'ticket_invoices', 'invoice_id'),
    ('pos_order', 'pos_orders', 'order_id'),
    ('ticket', 'tickets', 'ticket_id'),
] %}
with payments as (
    {% for holder_type, list, holder_id in shown -%}
    select
        shop_id, coalesce(id, payment_id) as id, '{{ holder_type }}' as holder_type, {{ holder_id }} as holder_id,
        position, amount, paid_at, paid_day, is_advance, payment_method_id, payment_method_title,
        payment_note, {{ loop.index }} as preference
    from {{ ref('stg_' ~ list ~ '__payments') }}
    {{ 'union all' if not loop.last }}
    {% endfor -%}
),

holders as (
    select shop_id, document_type as holder_type, document_id as holder_id, seen_at from {{ ref('int_documents') }}
    union all
    select shop_id, 'ticket' as holder_type, id as holder_id, seen_at
    from {{ ref('stg_tickets') }}
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
