-- path: models/marts/devices.sql
-- kind: table
-- schema: marts
-- table: devices
-- tests: grain_devices_shop_id__model

-- The service writes a device as `model|year`.
with named as (
    select
        tickets.*,
        coalesce(nullif(trim(split_part(device, '|', 1)), ''), 'unknown') as model,
        nullif(trim(split_part(device, '|', 2)), '') as model_year
    from "marts"."tickets" as tickets
)

select
    shop_id,
    model,
    min(model_year) as earliest_year,
    max(model_year) as latest_year,
    cast(count(*) as bigint) as tickets,
    cast(sum(case when is_done then 0 else 1 end) as bigint) as open_tickets,
    cast(sum(case when is_done then 1 else 0 end) as bigint) as done_tickets,
    cast(sum(invoiced) as decimal(28, 4)) as revenue,
    cast(cast(
        cast(floor(0.5 + percentile_cont(0.5) within group (
            order by cast(cycle_hours * 10000 as double precision)
        )) as bigint) * 0.0001 as decimal(28, 4)
    ) as decimal(28, 4)) as median_cycle_hours,
    cast(sum(case when is_unassigned then 1 else 0 end) * 1.0 / count(*) as decimal(28, 4)) as unassigned_share,
    cast(sum(case when is_late then 1 else 0 end) as bigint) as late_tickets,
    cast(sum(case when is_comeback then 1 else 0 end) as bigint) as comebacks,
    cast(sum(timer_hours) as decimal(28, 4)) as timer_hours,
    min(opened_day) as first_day,
    max(opened_day) as last_day
from named
group by 1, 2
