{#-
    History without MERGE: a table that only grows, and a view that reads intervals out of it.

    `new_versions` gives the rows of a relation that differ from their newest version, or have none,
    as versions that begin now. `besides` are columns of which a change makes no new version: when a
    row was read says nothing about the row. With `gone`, a row that is no longer there ends its
    last version: by a version without fingerprint, of which only the key is known. `changed` says which
    rows may have changed (macros/changes.sql).
-#}
{% macro new_versions(relation, key, besides, changed, changed_key, gone=false) %}
    {%- set types = {} -%}
    {%- for column in (adapter.get_columns_in_relation(relation) if execute else []) -%}
        {%- do types.update({column.name: column.data_type | replace(' ', '')}) -%}
    {%- endfor -%}
    {%- set columns = types | list -%}
    {%- set now = build_moment() -%}
    with present as (
        select
            rows_now.*,
            {{ fingerprint(columns | reject('in', besides) | list, types) if execute else "''" }} as fingerprint
        from {{ relation }} as rows_now
        where {{ is_changed(changed, 'rows_now', changed_key) }}
    )

    {% if not is_incremental() -%}
    select present.*, {{ now }} as dbt_valid_from from present
    {%- else -%}
    {% if changed_only() -%}
    , touched as (
        select {{ key | join(', ') }} from present
        union
        select {{ key | join(', ') }} from {{ this }} as versions where {{ is_changed(changed, 'versions', changed_key) }}
    )
    {%- endif %}

    , placed as (
        select
            {% for column in key %}{{ column }}, {% endfor %}fingerprint, dbt_valid_from,
            row_number() over (partition by {{ key | join(', ') }} order by dbt_valid_from desc) as place
        from {{ this }} as versions
        {%- if changed_only() %}
        where ({{ key | join(', ') }}) in (select {{ key | join(', ') }} from touched)
        {%- endif %}
    ),

    newest as (select * from placed where place = 1)

    select
        {% for column in columns -%}
        {{ 'coalesce(present.' ~ column ~ ', newest.' ~ column ~ ') as ' ~ column if column in key else 'present.' ~ column }},
        {% endfor -%}
        present.fingerprint,
        -- A clock that was set back would put the new version before the one it follows.
        case
            when newest.dbt_valid_from >= {{ now }} then newest.dbt_valid_from + interval '1 microsecond'
            else {{ now }}
        end as dbt_valid_from
    from present
    {{ 'full outer' if gone else 'left' }} join newest
        on {% for column in key %}newest.{{ column }} = present.{{ column }}{{ ' and ' if not loop.last }}{% endfor %}
    where present.fingerprint is distinct from newest.fingerprint
    {%- endif %}
{% endmacro %}

{#- The versions with the end of each: the beginning of the next. -#}
{% macro version_intervals(versions, key) %}
    {%- if execute and (load_relation(this) or {}).type == 'table' -%}
        {{ exceptions.raise_compiler_error(this ~ " is of an older layout; 'shopmirror sync' brings it up to date without loss.") }}
    {%- endif -%}
    select *
    from (
        select
            versions.*,
            {{ fingerprint(key + ['dbt_valid_from']) }} as dbt_scd_id,
            dbt_valid_from as dbt_updated_at,
            lead(dbt_valid_from) over (partition by {{ key | join(', ') }} order by dbt_valid_from) as dbt_valid_to
        from {{ versions }} as versions
    ) as intervals
    where fingerprint is not null
{% endmacro %}
