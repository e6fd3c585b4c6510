-- Lines of documents and of their returns under one set of names, signs as on the paper.
{% for lines, document_type, document_id in [
    ('stg_ticket_invoices__lines', 'ticket_invoice', 'invoice_id'),
    ('stg_pos_orders__lines', 'pos_order', 'order_id'),
    ('stg_ticket_invoices__returns__lines', 'ticket_invoice', 'invoice_id'),
    ('stg_pos_orders__returns__lines', 'pos_order', 'order_id'),
] -%}
select
    lines.shop_id, '{{ document_type }}' as document_type, lines.{{ document_id }} as document_id,
    {{ 'lines.return_row_key' if 'returns' in lines else 'cast(null as ' ~ dbt.type_string() ~ ') as return_row_key' }},
    lines.position, lines.product_id, lines.product_code, lines.item_description, lines.quantity, lines.unit_price, lines.discount,
    lines.tax, {{ line_total('lines') }} as total, lines.cost
from {{ ref(lines) }} as lines
{{ 'union all' if not loop.last }}
{% endfor %}
