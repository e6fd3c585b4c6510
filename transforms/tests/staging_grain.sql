-- Every staging table has one row for each key and no row without one. One query over all of them:
-- fifty tests of their own would cost more than the models.
-- Custom fields are four lists in one table: a service may count each of them from one.
{% for table, key, moments in declared_tables() %}
{% set row_key = 'row_key' if key != 'id' else "type || ' ' || id" if table == 'custom_fields' else 'id' %}
select '{{ table }}' as table_name, shop_id, {{ row_key }} as row_key, count(*) as times
from {{ ref('stg_' ~ table) }}
group by 1, 2, 3
having count(*) > 1 or shop_id is null or {{ row_key }} is null
{{ 'union all' if not loop.last }}
{% endfor %}
