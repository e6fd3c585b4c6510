-- path: models/marts/labour.sql
-- kind: table
-- schema: marts
-- table: labour
-- tests: grain_labour_shop_id__user_id__day

with spent as (
    select
        shop_id, user_id, start_day as day, 'ticket_timers' as list,
        greatest(date_diff('second', make_timestamp(epoch_us(start_at)), make_timestamp(epoch_us(end_at))), 0) as seconds,
        case when end_at is null then 1 else 0 end as open_entries
    from "staging"."ticket_timers"
    where deleted_at is null and user_id is not null and start_day is not null
    union all
    select
        shop_id, user_id, clocked_in_day as day, 'time_clock' as list,
        greatest(date_diff('second', make_timestamp(epoch_us(clocked_in_at)), make_timestamp(epoch_us(clocked_out_at))), 0) as seconds,
        case when clocked_out_at is null then 1 else 0 end as open_entries
    from "staging"."time_clock"
    where deleted_at is null and user_id is not null and clocked_in_day is not null
    
    )

select
    spent.shop_id,
    spent.user_id,
    spent.day,
    max(coalesce(users.name, nullif(trim(concat(coalesce(users.first_name, ''), ' ', coalesce(users.last_name, ''))), ''))) as technician,
    cast(sum(case when list = 'ticket_timers' then coalesce(seconds, 0) else 0 end) / 3600.0 as decimal(28, 4)) as timer_hours,
    cast(sum(case when list = 'time_clock' then coalesce(seconds, 0) else 0 end) / 3600.0 as decimal(28, 4)) as clock_hours,
    cast(sum(open_entries) as bigint) as open_entries
from spent
left join "staging"."users" as users on users.shop_id = spent.shop_id and users.id = spent.user_id
group by 1, 2, 3
