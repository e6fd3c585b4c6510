-- Days, months and years side by side, because a median of medians is none.
with tickets as (
    select *, coalesce(technician_id, 'unassigned') as technician_key from {{ ref('tickets') }}
),

events as (
    select
        shop_id, technician_key, technician, opened_day as day,
        1 as opened, 0 as closed, cast(0 as {{ money() }}) as revenue,
        cast(null as {{ money() }}) as cycle_hours, cast(null as {{ money() }}) as wall_hours
    from tickets
    where opened_day is not null
    union all
    select
        shop_id, technician_key, technician, done_day as day,
        0 as opened, 1 as closed, cast(0 as {{ money() }}) as revenue, cycle_hours, wall_hours
    from tickets
    where done_day is not null
    union all
    select
        tickets.shop_id, tickets.technician_key, tickets.technician, sold.effect_day as day,
        0 as opened, 0 as closed, coalesce(sold.gross, 0) as revenue,
        cast(null as {{ money() }}) as cycle_hours, cast(null as {{ money() }}) as wall_hours
    from {{ ref('sales_documents') }} as sold
    inner join tickets on tickets.shop_id = sold.shop_id and tickets.id = sold.ticket_id
    where sold.effect_day is not null
)

{% for kind in ['day', 'month', 'year'] %}
select
    shop_id,
    technician_key,
    max(technician) as technician,
    '{{ kind }}' as period_kind,
    {{ period_of(kind, 'day') }} as period,
    cast(sum(opened) as bigint) as tickets_opened,
    cast(sum(closed) as bigint) as tickets_closed,
    cast(sum(revenue) as {{ money() }}) as revenue,
    {{ mean('cycle_hours') }} as mean_cycle_hours,
    {{ median('cycle_hours') }} as median_cycle_hours,
    {{ mean('wall_hours') }} as mean_wall_hours,
    {{ median('wall_hours') }} as median_wall_hours
from events
group by 1, 2, 5
{{ 'union all' if not loop.last }}
{% endfor %}
