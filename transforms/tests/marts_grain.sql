-- Each mart has one row for each key it is documented by, and no row without one.
{% set grains = {
    'calendar': ['shop_id', 'day'],
    'sales_documents': ['shop_id', 'effect_key'],
    'documents': ['shop_id', 'document_type', 'document_id'],
    'sales_lines': ['shop_id', 'effect_key', 'position'],
    'daily_sales': ['shop_id', 'day'],
    'monthly_sales': ['shop_id', 'month'],
    'purchase_documents': ['shop_id', 'effect_key'],
    'daily_purchases': ['shop_id', 'day'],
    'monthly_purchases': ['shop_id', 'month'],
    'payments': ['shop_id', 'id'],
    'receivables': ['shop_id', 'document_type', 'document_id'],
    'reconciliation': ['shop_id', 'report', 'period'],
    'tickets': ['shop_id', 'id'],
    'ticket_statuses': ['shop_id', 'ticket_id', 'seen_from'],
    'technicians': ['shop_id', 'technician_key'],
    'issue_types': ['shop_id', 'issue_type_key'],
    'devices': ['shop_id', 'model'],
    'labour': ['shop_id', 'user_id', 'day'],
    'customers': ['shop_id', 'id'],
    'products': ['shop_id', 'id'],
    'stock_by_location': ['shop_id', 'product_id', 'location'],
    'purchases': ['shop_id', 'id'],
    'suppliers': ['shop_id', 'id'],
    'leads': ['shop_id', 'id'],
    'appointments': ['shop_id', 'id'],
} %}
{% for mart, columns in grains.items() %}
select '{{ mart }}' as mart, {{ columns[1] }} is null as is_null, count(*) as times
from {{ ref(mart) }}
group by {{ columns | join(', ') }}
having count(*) > 1{% for column in columns %} or {{ column }} is null{% endfor %}
{{ 'union all' if not loop.last }}
{% endfor %}
