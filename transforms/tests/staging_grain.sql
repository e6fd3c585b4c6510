-- Every staging table has one row for each key and no row without one. One query over all of them:
-- fifty tests of their own would cost more than the models.
-- Custom fields are four lists in one table: a service may count each of them from one.
{% for table, key, moments in declared_tables() %}
{% set only_news = changed_only() and table.split('__')[0] in changed_lists() %}
{% set row_key = ('_dlt_id' if only_news else 'row_key') if key != 'id' else "type || ' ' || id" if table == 'custom_fields' else 'id' %}
select '{{ table }}' as table_name, shop_id, {{ row_key }} as row_key, count(*) as times
from {{ source('raw', table) if only_news else ref('stg_' ~ table) }} as staged
where {{ is_raw_news(table, 'staged') }}
group by 1, 2, 3
having count(*) > 1 or shop_id is null or {{ row_key }} is null
{{ 'union all' if not loop.last }}
{% endfor %}
