-- What was loaded since the last build.
{{ config(materialized='table') }}
{% for table, record_type in changed_lists().items() %}
select rows_now.shop_id, cast('{{ record_type }}' as {{ dbt.type_string() }}) as record_type, rows_now.id as record_id
from {{ source('raw', table) }} as rows_now
where {{ is_news('rows_now') }}
{{ 'union all' if not loop.last }}
{% endfor %}
