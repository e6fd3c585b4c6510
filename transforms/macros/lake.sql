{#-
    On Spark: the tables of `raw` and `ops`, made of the Parquet files that dlt's destination
    `filesystem` keeps in `folder` (as Spark names it, such as `file:///srv/lake`).

    The destination adds files and merges nothing: of each row the newest load counts, of a nested
    list all rows of the newest load of its row, and of both only loads that came to their end.
    Copies, since the next sync writes there while models are built; a table of whose files none
    came since the last copy stays as it is, also for who reads it.
-#}
{% macro lake(folder) %}
    {%- set read = graph.nodes.values() | map(attribute='depends_on.nodes') | sum(start=[]) -%}
    {%- for dataset in ['raw', 'ops'] -%}
        {%- do run_query('create database if not exists ' ~ dataset) -%}
        {%- set held = run_query('show tables in ' ~ dataset).columns[1].values() -%}
        {%- set loads = run_query("select load_id from json.`" ~ folder ~ "/" ~ dataset ~ "/_dlt_loads` where status = 0").columns[0].values() -%}
        {%- for source in graph.sources.values() | selectattr('unique_id', 'in', read) | selectattr('schema', 'equalto', dataset) -%}
            {%- set table = dataset ~ '.' ~ source.name -%}
            {%- do run_query(
                "create or replace temporary view lake_rows using parquet options "
                ~ "(path '" ~ folder ~ "/" ~ dataset ~ "/" ~ source.name ~ "', mergeSchema 'true')"
            ) -%}
            {%- set rows = folder ~ run_query(
                "select concat(' ', count(*), ' ', max(_dlt_load_id)) from lake_rows "
                ~ "where _dlt_load_id in ('" ~ loads | join("', '") ~ "')"
            ).columns[0].values()[0] -%}
            {%- set copied = run_query("show tblproperties " ~ table ~ " ('lake.rows')").columns[1].values()[0] if source.name in held -%}
            {%- if copied != rows -%}
                {%- do run_query('drop table if exists ' ~ table) -%}
                {%- do run_query(
                    'create table ' ~ table ~ " using parquet tblproperties ('lake.rows' = '" ~ rows ~ "') as "
                    ~ newest_rows(source.name, dataset, loads)
                ) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
{% endmacro %}

{% macro newest_rows(table, dataset, loads) -%}
    {%- set nested = '__' in table -%}
    select * except (place) from (
        select
            *,
            rank() over (
                {{ 'partition by ' ~ ('_dlt_root_id' if nested else '_dlt_id') if dataset == 'raw' }}
                order by cast(_dlt_load_id as decimal(20, 7)) desc
            ) as place
        from lake_rows
        where _dlt_load_id in ('{{ loads | join("', '") }}')
    ) as placed
    where place = 1{{ ' and _dlt_list_idx >= 0' if nested }}
{%- endmacro %}
