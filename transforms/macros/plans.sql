{#- Of a table that was just made PostgreSQL knows nothing, and autovacuum comes a minute later. -#}
{% macro statistics() -%}
{{ 'analyze ' ~ this if target.type == 'postgres' and model.config.materialized != 'view' }}
{%- endmacro %}
