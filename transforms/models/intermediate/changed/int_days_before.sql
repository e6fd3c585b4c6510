-- Days on which the sales counted that are to be worked out again.
{{ config(materialized='table') }}
{% set figures = ref('int_changed_figures') %}
{% if not changed_only() %}{{ nothing(['shop_id', 'day']) }}{% else %}
with sold as (
    select * from {{ as_built('marts', 'sales_documents') }} as kept where {{ is_changed('int_changed_figures', 'kept', document_key()) }}
)

{% for day in sales_days() %}
select shop_id, {{ day }} as day from sold
{{ 'union' if not loop.last }}
{% endfor %}
{% endif %}
