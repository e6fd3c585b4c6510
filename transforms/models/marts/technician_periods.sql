-- Days, months and years side by side, because a median of medians is none.
with tickets as (
    select tickets.*, coalesce(technician_id, 'unassigned') as technician_key
    from {{ ref('tickets') }} as tickets
),

closed as (
    select shop_id, technician_key, technician, done_day as day, cycle_hours, wall_hours
    from tickets
    where is_done and done_day is not null
),

-- What is only added up is added up by day first.
events as (
    select
        shop_id, technician_key, max(technician) as technician, opened_day as day,
        count(*) as opened, 0 as closed, cast(0 as {{ money() }}) as revenue
    from tickets
    where opened_day is not null
    group by 1, 2, 4
    union all
    select
        shop_id, technician_key, max(technician) as technician, day,
        0 as opened, count(*) as closed, cast(0 as {{ money() }}) as revenue
    from closed
    group by 1, 2, 4
    union all
    select
        tickets.shop_id, tickets.technician_key, max(tickets.technician) as technician, sold.effect_day as day,
        0 as opened, 0 as closed, sum(coalesce(sold.gross, 0)) as revenue
    from {{ ref('sales_documents') }} as sold
    inner join tickets on tickets.shop_id = sold.shop_id and tickets.id = sold.ticket_id
    where sold.effect_day is not null
    group by 1, 2, 4
),

periods as (
    {% for kind in ['day', 'month', 'year'] %}
    {% set period = 'day' if kind == 'day' else 'cast(' ~ dbt.date_trunc(kind, 'day') ~ ' as date)' %}
    select
        sums.shop_id, sums.technician_key, sums.technician, '{{ kind }}' as period_kind, sums.period,
        sums.opened, sums.closed, sums.revenue,
        times.mean_cycle_hours, times.median_cycle_hours, times.mean_wall_hours, times.median_wall_hours
    from (
        select
            shop_id, technician_key, max(technician) as technician, {{ period }} as period,
            sum(opened) as opened, sum(closed) as closed, sum(revenue) as revenue
        from events
        group by 1, 2, 4
    ) as sums
    left join (
        select
            shop_id, technician_key, {{ period }} as period,
            {{ mean('cycle_hours') }} as mean_cycle_hours,
            {{ median('cycle_hours') }} as median_cycle_hours,
            {{ mean('wall_hours') }} as mean_wall_hours,
            {{ median('wall_hours') }} as median_wall_hours
        from closed
        group by 1, 2, 3
    ) as times
        on times.shop_id = sums.shop_id and times.technician_key = sums.technician_key and times.period = sums.period
    {{ 'union all' if not loop.last }}
    {% endfor %}
)

select
    shop_id,
    technician_key,
    technician,
    period_kind,
    period,
    cast(opened as bigint) as tickets_opened,
    cast(closed as bigint) as tickets_closed,
    cast(revenue as {{ money() }}) as revenue,
    mean_cycle_hours,
    cast(median_cycle_hours as {{ money() }}) as median_cycle_hours,
    mean_wall_hours,
    cast(median_wall_hours as {{ money() }}) as median_wall_hours
from periods
