{#- What is counted of a group of tickets, the same for technicians, issue types and devices. -#}
{% macro ticket_measures() -%}
cast(count(*) as bigint) as tickets,
    cast(sum(case when is_done then 0 else 1 end) as bigint) as open_tickets,
    cast(sum(case when is_done then 1 else 0 end) as bigint) as done_tickets,
    cast(sum(invoiced) as {{ money() }}) as revenue,
    cast({{ median('cycle_hours') }} as {{ money() }}) as median_cycle_hours,
    cast(sum(case when is_unassigned then 1 else 0 end) * 1.0 / count(*) as {{ money() }}) as unassigned_share,
    cast(sum(case when is_late then 1 else 0 end) as bigint) as late_tickets,
    cast(sum(case when is_comeback then 1 else 0 end) as bigint) as comebacks,
    cast(sum(timer_hours) as {{ money() }}) as timer_hours,
    min(opened_day) as first_day,
    max(opened_day) as last_day
{%- endmacro %}
