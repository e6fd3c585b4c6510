with spent as (
    {% for list, first, last in [('ticket_timers', 'start', 'end'), ('time_clock', 'clocked_in', 'clocked_out')] -%}
    select
        shop_id, user_id, {{ first }}_day as day, '{{ list }}' as list,
        greatest({{ seconds_between(first ~ '_at', last ~ '_at') }}, 0) as seconds,
        case when {{ last }}_at is null then 1 else 0 end as open_entries
    from {{ ref('stg_' ~ list) }}
    where deleted_at is null and user_id is not null and {{ first }}_day is not null
    {{ 'union all' if not loop.last }}
    {% endfor -%}
)

select
    spent.shop_id,
    spent.user_id,
    spent.day,
    max(coalesce(users.name, {{ full_name('users.') }})) as technician,
    cast(sum(case when list = 'ticket_timers' then coalesce(seconds, 0) else 0 end) / 3600.0 as {{ money() }}) as timer_hours,
    cast(sum(case when list = 'time_clock' then coalesce(seconds, 0) else 0 end) / 3600.0 as {{ money() }}) as clock_hours,
    cast(sum(open_entries) as bigint) as open_entries
from spent
{{ named_in('users', 'spent', 'user_id') }}
group by 1, 2, 3
