-- path: models/marts/issue_types.sql
-- kind: table
-- schema: marts
-- table: issue_types
-- tests: grain_issue_types_shop_id__issue_type_key

select
    shop_id,
    coalesce(issue_type_id, issue_type, 'none') as issue_type_key,
    max(issue_type) as issue_type,
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
from "marts"."tickets"
group by 1, 2
