-- depends_on: {{ ref('int_changed_records') }}
-- Values the loader could not read as what they should be, and moments that are no date after all.
{% set held = as_built('ops', 'unreadable') %}
{% if changed_only() -%}
{#- Before anything is read of them: a moment costs more than finding what changed. -#}
with
{% for table, key, moments in declared_tables() -%}
{% set told = "select shop_id, id from " ~ held ~ " where table_name = '" ~ table ~ "'" %}
news_of_{{ table }} as materialized (
    select {{ (['shop_id', key, '_unreadable'] + moments) | join(', ') }}
    from {{ source('raw', table) }} as source
    where {{ is_raw_news(table, 'source', told) }}
){{ ',' if not loop.last }}
{% endfor %}
{%- endif %}
{% for table, key, moments in declared_tables() %}
{%- set rows = 'news_of_' ~ table if changed_only() else source('raw', table) %}
select
    source.shop_id,
    '{{ table }}' as table_name,
    source.{{ key }} as id,
    keys.name as column_name,
    {{ json_value('source._unreadable', 'keys.name') }} as original,
    'not readable as the kind of the column' as reason
from {{ rows }} as source, {{ json_keys('source._unreadable') }}
where source._unreadable is not null
{%- for column in moments %}
union all
select
    source.shop_id,
    '{{ table }}' as table_name,
    source.{{ key }} as id,
    '{{ column }}' as column_name,
    source.{{ column }} as original,
    'no date or time' as reason
from {{ rows }} as source
where source.{{ column }} is not null
    and {{ moment_at('source.' ~ column, "'UTC'") }} is null
{%- endfor %}
{{ 'union all' if not loop.last }}
{% endfor %}
