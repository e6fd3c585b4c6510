-- Days, months and years side by side, because a median of medians is none.
with tickets as (
    select tickets.*, coalesce(technician_id, 'unassigned') as technician_key
    from {{ ref('tickets') }} as tickets
),

events as (
    select
        shop_id, technician_key, technician, opened_day as day, 1 as opened, 0 as closed,
        cast(null as {{ money() }}) as cycle_hours, cast(null as {{ money() }}) as wall_hours,
        cast(0 as {{ money() }}) as revenue
    from tickets
    union all
    select
        shop_id, technician_key, technician, done_day as day, 0 as opened, 1 as closed,
        cycle_hours, wall_hours, cast(0 as {{ money() }}) as revenue
    from tickets
    where is_done
    union all
    select
        tickets.shop_id, tickets.technician_key, tickets.technician, sold.effect_day as day,
        0 as opened, 0 as closed,
        cast(null as {{ money() }}) as cycle_hours, cast(null as {{ money() }}) as wall_hours,
        coalesce(sold.gross, 0) as revenue
    from {{ ref('sales_documents') }} as sold
    inner join tickets on tickets.shop_id = sold.shop_id and tickets.id = sold.ticket_id
),

dated as (
    {% for kind in ['day', 'month', 'year'] %}
    select
        events.*, '{{ kind }}' as period_kind,
        {{ 'day' if kind == 'day' else 'cast(' ~ dbt.date_trunc(kind, 'day') ~ ' as date)' }} as period
    from events
    where day is not null
    {{ 'union all' if not loop.last }}
    {% endfor %}
)

select
    shop_id,
    technician_key,
    max(technician) as technician,
    period_kind,
    period,
    cast(sum(opened) as bigint) as tickets_opened,
    cast(sum(closed) as bigint) as tickets_closed,
    cast(sum(revenue) as {{ money() }}) as revenue,
    {{ mean('cycle_hours') }} as mean_cycle_hours,
    cast({{ median('cycle_hours') }} as {{ money() }}) as median_cycle_hours,
    {{ mean('wall_hours') }} as mean_wall_hours,
    cast({{ median('wall_hours') }} as {{ money() }}) as median_wall_hours
from dated
group by shop_id, technician_key, period_kind, period
