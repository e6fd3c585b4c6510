{#- The view of one raw table: renamed, cast, each moment as an instant and a day (`moment`). Columns are
    said as `name` or `name as its_name_here`; `parent` is what a nested list calls the record it is of,
    `above`, in a list nested deeper, the row it stands in. -#}
{% macro staged(table, parent=none, above=none, ids=[], texts=[], numbers=[], flags=[], moments=[]) -%}
with source as (
    select * from {{ source('raw', table) }}
),

{% if moments -%}
shops as (
    select shop_id, timezone from {{ source('ops', 'shops') }}
),

{% endif -%}
renamed as (
    select
        -- ids
        source.shop_id,
        {%- if parent %}
        source._dlt_id as row_key,
        source.parent_id as {{ parent }},
        {%- if above %}
        source._dlt_parent_id as {{ above }},
        {%- endif %}
        source._dlt_list_idx as position,
        {%- else %}
        source.id,
        {%- endif %}
        {{- _plain(ids) }}
        {%- if texts %}
        -- texts
        {{- _plain(texts) }}
        {%- endif %}
        {%- if numbers %}
        -- numbers
        {%- for column in numbers %}
        {%- set said, _, name = column.partition(' as ') %}
        cast(source.{{ said }} as {{ money() }}) as {{ name or said }},
        {%- endfor %}
        {%- endif %}
        {%- if flags %}
        -- flags
        {{- _plain(flags) }}
        {%- endif %}
        {%- if moments %}
        -- times
        {%- for column in moments %}
        {%- set said, _, name = column.partition(' as ') %}
        {{ moment('source.' ~ said, name or said) }},
        {%- endfor %}
        {%- endif %}
        -- state of the row
        {%- if not parent %}
        source._seen_at as seen_at,
        source._deleted_at as deleted_at,
        {%- endif %}
        source._unreadable as unreadable
    from source
    {%- if moments %}
    left join shops on shops.shop_id = source.shop_id
    {%- endif %}
)

select * from renamed
{%- endmacro %}

{% macro _plain(columns) %}
        {%- for column in columns %}
        source.{{ column }},
        {%- endfor %}
{%- endmacro %}
