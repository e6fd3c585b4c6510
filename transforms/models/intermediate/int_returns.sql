-- Returns of invoices and POS orders that exist, under one set of names.
{% for list, document_type, document_id in [
    ('ticket_invoices', 'ticket_invoice', 'invoice_id'), ('pos_orders', 'pos_order', 'order_id'),
] -%}
select
    returns.shop_id, '{{ document_type }}' as document_type, returns.{{ document_id }} as document_id, returns.row_key,
    returns.position, returns.id, returns.number, returns.reason, returns.amount, returns.created_at, returns.created_day
from {{ ref('stg_' ~ list ~ '__returns') }} as returns
inner join {{ ref('stg_' ~ list) }} as documents
    on documents.shop_id = returns.shop_id and documents.id = returns.{{ document_id }}
where documents.deleted_at is null
{{ 'union all' if not loop.last }}
{% endfor %}
