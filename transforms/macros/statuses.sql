{#-
    The row of ops.statuses that judges a status: one label of one shop, under its id where the
    service gives one (pipelines.transform.statuses says how each is judged).
-#}
{% macro same_status(statuses, records) -%}
{{ statuses }}.shop_id = {{ records }}.shop_id
        and {{ statuses }}.status_id = coalesce({{ records }}.status_id, '')
        and {{ statuses }}.label = coalesce({{ records }}.status_label, '')
{%- endmacro %}

{#- Whether a member of staff is one of the shop's own accounts, by any of what names them. -#}
{% macro stands_for_the_shop(accounts, names) -%}
case when {{ accounts }} = '' then false else (
            {%- for name in names %}
            {{ 'or ' if not loop.first }}{{ dbt.position("concat(',', lower(trim(coalesce(" ~ name ~ ", '?'))), ',')", accounts) }} > 0
            {%- endfor %}
        ) end
{%- endmacro %}

{#- Mean over a group of decimals, rounded as the median is: engines round the middle of two places
    each in its own way. -#}
{% macro mean(expression) -%}
cast(
        cast(floor(0.5 +
            cast(sum({{ expression }} * 10000) as {{ double_type() }}) / nullif(count({{ expression }}), 0)
        ) as bigint) * 0.0001 as {{ money() }}
    )
{%- endmacro %}

{#- Median over a group of decimals. It is taken over whole numbers (of the fourth place), of which no
    engine rounds the middle; half of the last place goes up. -#}
{% macro median(expression) -%}
cast(
        cast(floor(0.5 + percentile_cont(0.5) within group (
            order by cast({{ expression }} * 10000 as {{ double_type() }})
        )) as bigint) * 0.0001 as {{ money() }}
    )
{%- endmacro %}
