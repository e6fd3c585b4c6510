{#-
    History without MERGE: a table that only grows, and a view that reads intervals out of it.

    `new_versions` gives the rows of a relation that differ from their newest version, or have none, as versions
    that begin now. When a row was read says nothing about the row: a change of `seen_at` alone makes no new
    version. With `gone`, a row that is no longer there ends its last version: by a version of which only the key
    is known.
-#}
{% macro new_versions(relation, key, gone=false) %}
    {%- set now = build_moment() -%}
    {%- if not is_incremental() -%}
    select rows_now.*, {{ now }} as dbt_valid_from from {{ relation }} as rows_now
    {%- else -%}
    {%- set types, held = _types_of(relation), _types_of(this) -%}
    {%- set ours, theirs = [], [] -%}
    {%- for column, type in types.items() if column != 'seen_at' -%}
        {%- do ours.append(column) -%}
        {%- do theirs.append('cast(' ~ (column if column in held else 'null') ~ ' as ' ~ type ~ ')') -%}
    {%- endfor -%}
    with present as (
        select rows_now.*, {{ content(ours) }} as content from {{ relation }} as rows_now
    ),

    placed as (
        select
            {{ key | join(', ') }}, dbt_valid_from,
            case when seen_at is not null then {{ content(theirs) }} end as content,
            row_number() over (partition by {{ key | join(', ') }} order by dbt_valid_from desc) as place
        from {{ this }}
    ),

    newest as (
        select * from placed where place = 1
    )

    select
        {% for column in types -%}
        {{ 'coalesce(present.' ~ column ~ ', newest.' ~ column ~ ') as ' ~ column if column in key else 'present.' ~ column }},
        {% endfor -%}
        {#- A column that the relation had once: Spark wants something for it. -#}
        {%- for column, type in held.items() if column not in types and column != 'dbt_valid_from' -%}
        cast(null as {{ type }}) as {{ column }},
        {% endfor -%}
        -- A clock that was set back would put the new version before the one it follows.
        case
            when newest.dbt_valid_from >= {{ now }} then newest.dbt_valid_from + interval '1 microsecond'
            else {{ now }}
        end as dbt_valid_from
    from present
    {{ 'full outer' if gone else 'left' }} join newest
        on {% for column in key %}newest.{{ column }} = present.{{ column }}{{ ' and ' if not loop.last }}{% endfor %}
    where present.content is distinct from newest.content
    {%- endif %}
{% endmacro %}

{#- Column -> type. Of a text dbt names a length, to which PostgreSQL would cut it. -#}
{% macro _types_of(relation) %}
    {%- set types = {} -%}
    {%- for column in (adapter.get_columns_in_relation(relation) if execute else []) -%}
        {%- do types.update({column.name: dbt.type_string() if column.is_string() else column.data_type}) -%}
    {%- endfor -%}
    {{ return(types) }}
{% endmacro %}

{#- What tells a row from another version of it; compared with what is worked out in the same statement, never
    kept, so each engine may have its own. -#}
{% macro content(columns) %}{{ return(adapter.dispatch('content')(columns)) }}{% endmacro %}
{% macro default__content(columns) %}{{ return(fingerprint(columns)) }}{% endmacro %}
{% macro duckdb__content(columns) %}{{ return('hash(' ~ columns | join(', ') ~ ')') }}{% endmacro %}

{#- The versions with the end of each: the beginning of the next. -#}
{% macro version_intervals(versions, key) %}
    select *
    from (
        select
            versions.*,
            {{ fingerprint(key + ['dbt_valid_from']) }} as dbt_scd_id,
            dbt_valid_from as dbt_updated_at,
            lead(dbt_valid_from) over (partition by {{ key | join(', ') }} order by dbt_valid_from) as dbt_valid_to
        from {{ versions }} as versions
    ) as intervals
    where seen_at is not null
{% endmacro %}
