-- What was loaded since the last build.
{{ config(materialized='table') }}
{% for table, record_type in [
    ('ticket_invoices', 'ticket_invoice'), ('pos_orders', 'pos_order'), ('tickets', 'ticket'),
    ('payments', 'payment'), ('products', 'product'), ('customers', 'customer'),
    ('ticket_comments', 'ticket_comment'), ('ticket_timers', 'ticket_timer'),
] %}
select rows_now.shop_id, cast('{{ record_type }}' as {{ dbt.type_string() }}) as record_type, rows_now.id as record_id
from {{ source('raw', table) }} as rows_now
where {{ is_news('rows_now') }}
{{ 'union all' if not loop.last }}
{% endfor %}
