-- What a record names exists here. A dangling reference is the service's to explain, or a sign
-- that a list was not read to its end: a finding, not a fault of the figures.
{{ config(severity='warn') }}
{% set references = [
    ('ticket_invoices', 'customer_id', 'customers'),
    ('pos_orders', 'customer_id', 'customers'),
    ('tickets', 'customer_id', 'customers'),
    ('tickets', 'technician_id', 'users'),
    ('tickets', 'invoice_id', 'ticket_invoices'),
    ('ticket_timers', 'user_id', 'users'),
    ('purchase_orders', 'supplier_id', 'suppliers'),
    ('stock', 'product_id', 'products'),
] %}
{% for child, column, parent in references %}
select '{{ child }}' as table_name, child.shop_id, child.id, '{{ column }}' as column_name, child.{{ column }} as names
from {{ ref('stg_' ~ child) }} as child
left join {{ ref('stg_' ~ parent) }} as parent
    on parent.shop_id = child.shop_id and parent.id = child.{{ column }}
where child.deleted_at is null and child.{{ column }} is not null and parent.id is null
{{ 'union all' if not loop.last }}
{% endfor %}
union all
select record_type, shop_id, record_id, 'ticket_id', ticket_id
from {{ ref('int_named_tickets') }}
where record_type = 'ticket_invoices' and not is_known
