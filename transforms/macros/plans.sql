{#-
    How PostgreSQL goes about a build. Keys of several columns, some of them constants of a union, make it
    take joins of fifty thousand lines for joins of one, and compare each line with each: by nested
    loops, or by merging on the shop alone. A build reads whole tables, for which hashing is right.
-#}
{% macro by_hashing() -%}
{{ 'set enable_nestloop = off; set enable_mergejoin = off; set jit = off; set work_mem = \'64MB\'' if target.type == 'postgres' }}
{%- endmacro %}

{#- Of a table that was just made PostgreSQL knows nothing, and autovacuum comes a minute later. -#}
{% macro statistics() -%}
{{ 'analyze ' ~ this if target.type == 'postgres' and model.config.materialized != 'view' }}
{%- endmacro %}
