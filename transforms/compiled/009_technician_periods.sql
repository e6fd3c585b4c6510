-- path: models/marts/technician_periods.sql
-- kind: table
-- schema: marts
-- table: technician_periods
-- tests: grain_technician_periods_shop_id__technician_key__period_kind__period

-- Days, months and years side by side, because a median of medians is none.
with tickets as (
    select *, coalesce(technician_id, 'unassigned') as technician_key from "marts"."tickets"
),

events as (
    select
        shop_id, technician_key, technician, opened_day as day,
        1 as opened, 0 as closed, cast(0 as decimal(28, 4)) as revenue,
        cast(null as decimal(28, 4)) as cycle_hours, cast(null as decimal(28, 4)) as wall_hours
    from tickets
    where opened_day is not null
    union all
    select
        shop_id, technician_key, technician, done_day as day,
        0 as opened, 1 as closed, cast(0 as decimal(28, 4)) as revenue, cycle_hours, wall_hours
    from tickets
    where done_day is not null
    union all
    select
        tickets.shop_id, tickets.technician_key, tickets.technician, sold.effect_day as day,
        0 as opened, 0 as closed, coalesce(sold.gross, 0) as revenue,
        cast(null as decimal(28, 4)) as cycle_hours, cast(null as decimal(28, 4)) as wall_hours
    from "marts"."sales_documents" as sold
    inner join tickets on tickets.shop_id = sold.shop_id and tickets.id = sold.ticket_id
    where sold.effect_day is not null
)


select
    shop_id,
    technician_key,
    max(technician) as technician,
    'day' as period_kind,
    day as period,
    cast(sum(opened) as bigint) as tickets_opened,
    cast(sum(closed) as bigint) as tickets_closed,
    cast(sum(revenue) as decimal(28, 4)) as revenue,
    cast(
        cast(floor(0.5 +
            cast(sum(cycle_hours * 10000) as double precision) / nullif(count(cycle_hours), 0)
        ) as bigint) * 0.0001 as decimal(28, 4)
    ) as mean_cycle_hours,
    cast(
        cast(floor(0.5 + percentile_cont(0.5) within group (
            order by cast(cycle_hours * 10000 as double precision)
        )) as bigint) * 0.0001 as decimal(28, 4)
    ) as median_cycle_hours,
    cast(
        cast(floor(0.5 +
            cast(sum(wall_hours * 10000) as double precision) / nullif(count(wall_hours), 0)
        ) as bigint) * 0.0001 as decimal(28, 4)
    ) as mean_wall_hours,
    cast(
        cast(floor(0.5 + percentile_cont(0.5) within group (
            order by cast(wall_hours * 10000 as double precision)
        )) as bigint) * 0.0001 as decimal(28, 4)
    ) as median_wall_hours
from events
group by 1, 2, 5
union all

select
    shop_id,
    technician_key,
    max(technician) as technician,
    'month' as period_kind,
    cast(date_trunc('month', day) as date) as period,
    cast(sum(opened) as bigint) as tickets_opened,
    cast(sum(closed) as bigint) as tickets_closed,
    cast(sum(revenue) as decimal(28, 4)) as revenue,
    cast(
        cast(floor(0.5 +
            cast(sum(cycle_hours * 10000) as double precision) / nullif(count(cycle_hours), 0)
        ) as bigint) * 0.0001 as decimal(28, 4)
    ) as mean_cycle_hours,
    cast(
        cast(floor(0.5 + percentile_cont(0.5) within group (
            order by cast(cycle_hours * 10000 as double precision)
        )) as bigint) * 0.0001 as decimal(28, 4)
    ) as median_cycle_hours,
    cast(
        cast(floor(0.5 +
            cast(sum(wall_hours * 10000) as double precision) / nullif(count(wall_hours), 0)
        ) as bigint) * 0.0001 as decimal(28, 4)
    ) as mean_wall_hours,
    cast(
        cast(floor(0.5 + percentile_cont(0.5) within group (
            order by cast(wall_hours * 10000 as double precision)
        )) as bigint) * 0.0001 as decimal(28, 4)
    ) as median_wall_hours
from events
group by 1, 2, 5
union all

select
    shop_id,
    technician_key,
    max(technician) as technician,
    'year' as period_kind,
    cast(date_trunc('year', day) as date) as period,
    cast(sum(opened) as bigint) as tickets_opened,
    cast(sum(closed) as bigint) as tickets_closed,
    cast(sum(revenue) as decimal(28, 4)) as revenue,
    cast(
        cast(floor(0.5 +
            cast(sum(cycle_hours * 10000) as double precision) / nullif(count(cycle_hours), 0)
        ) as bigint) * 0.0001 as decimal(28, 4)
    ) as mean_cycle_hours,
    cast(
        cast(floor(0.5 + percentile_cont(0.5) within group (
            order by cast(cycle_hours * 10000 as double precision)
        )) as bigint) * 0.0001 as decimal(28, 4)
    ) as median_cycle_hours,
    cast(
        cast(floor(0.5 +
            cast(sum(wall_hours * 10000) as double precision) / nullif(count(wall_hours), 0)
        ) as bigint) * 0.0001 as decimal(28, 4)
    ) as mean_wall_hours,
    cast(
        cast(floor(0.5 + percentile_cont(0.5) within group (
            order by cast(wall_hours * 10000 as double precision)
        )) as bigint) * 0.0001 as decimal(28, 4)
    ) as median_wall_hours
from events
group by 1, 2, 5
