-- Days, months and years side by side, because a median of medians is none.
{% set key = {'shop_id': 'shop_id', 'period_kind': 'period_kind', 'period': 'period'} %}
{{ config(meta=replaced_by('int_changed_periods', key)) }}
{% set kinds = ['day', 'month', 'year'] %}
with closed as (
    select
        shop_id, coalesce(technician_id, 'unassigned') as technician_key, cycle_hours, wall_hours
        {%- for kind in kinds %}, {{ period_of(kind, 'done_day') }} as {{ kind }}{% endfor %}
    from {{ ref('tickets') }}
    where done_day is not null
),

periods as (
    {% for kind in kinds %}
    select
        sums.shop_id, sums.technician_key, sums.technician, '{{ kind }}' as period_kind, sums.period,
        sums.opened, sums.closed, sums.revenue,
        times.mean_cycle_hours, times.median_cycle_hours, times.mean_wall_hours, times.median_wall_hours
    from (
        select
            shop_id, technician_key, max(technician) as technician, {{ period_of(kind, 'day') }} as period,
            sum(opened) as opened, sum(closed) as closed, sum(revenue) as revenue
        from {{ ref('int_technician_days') }}
        group by 1, 2, 4
    ) as sums
    left join (
        select
            shop_id, technician_key, {{ kind }} as period,
            {{ mean('cycle_hours') }} as mean_cycle_hours,
            {{ median('cycle_hours') }} as median_cycle_hours,
            {{ mean('wall_hours') }} as mean_wall_hours,
            {{ median('wall_hours') }} as median_wall_hours
        from closed
        where {{ is_changed('int_changed_periods', 'closed', dict(key, period_kind="'" ~ kind ~ "'", period=kind)) }}
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
where {{ is_changed('int_changed_periods', 'periods', key) }}
