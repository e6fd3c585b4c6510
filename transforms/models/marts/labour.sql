with shops as (
    select * from {{ ref('int_shops') }}
),

timers as (
    select shop_id, user_id, start_day as day, start_at, end_at
    from {{ ref('stg_ticket_timers') }}
    where deleted_at is null and user_id is not null and start_day is not null
),

clock as (
    select shop_id, user_id, clocked_in_day as day, clocked_in_at, clocked_out_at
    from {{ ref('stg_time_clock') }}
    where deleted_at is null and user_id is not null and clocked_in_day is not null
),

spent as (
    select
        shop_id, user_id, day,
        greatest({{ seconds_between('start_at', 'end_at') }}, 0) as timer_seconds,
        0 as clock_seconds,
        case when end_at is null then 1 else 0 end as open_entries
    from timers
    union all
    select
        shop_id, user_id, day,
        0 as timer_seconds,
        greatest({{ seconds_between('clocked_in_at', 'clocked_out_at') }}, 0) as clock_seconds,
        case when clocked_out_at is null then 1 else 0 end as open_entries
    from clock
)

select
    spent.shop_id,
    spent.user_id,
    spent.day,
    max(coalesce(users.name, {{ full_name('users.') }})) as technician,
    cast(sum(coalesce(timer_seconds, 0)) / 3600.0 as {{ money() }}) as timer_hours,
    cast(sum(coalesce(clock_seconds, 0)) / 3600.0 as {{ money() }}) as clock_hours,
    cast(sum(open_entries) as bigint) as open_entries
from spent
{{ named_in('users', 'spent', 'user_id') }}
group by 1, 2, 3
