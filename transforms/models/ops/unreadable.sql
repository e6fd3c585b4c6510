-- Values the loader could not read as what they should be, and moments that are no date after all.
{% for table, key, moments in declared_tables() %}
select
    fields.shop_id,
    '{{ table }}' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, {{ key }} as id, {{ json_fields('_unreadable') }}
    from {{ source('raw', table) }}
    where _unreadable is not null
) as fields
{%- for column in moments %}
union all
select
    source.shop_id,
    '{{ table }}' as table_name,
    source.{{ key }} as id,
    '{{ column }}' as column_name,
    source.{{ column }} as original,
    'no date or time' as reason
from {{ source('raw', table) }} as source
where source.{{ column }} is not null
    and {{ moment_at('source.' ~ column, "'UTC'") }} is null
{%- endfor %}
{{ 'union all' if not loop.last }}
{% endfor %}
