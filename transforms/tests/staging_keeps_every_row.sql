-- What came in is what went out: a staging table has as many rows as its raw table.
{% for table, key, moments in declared_tables() %}
select '{{ table }}' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from {{ source('raw', table) }}) as raw_rows
cross join (select count(*) as times from {{ ref('stg_' ~ table) }}) as staged
where raw_rows.times <> staged.times
{{ 'union all' if not loop.last }}
{% endfor %}
