with ours as (
    select shop_id, 'monthly_sales' as report, month as period, total from {{ ref('monthly_sales') }}
    union all
    select shop_id, 'monthly_purchases' as report, month as period, total from {{ ref('monthly_purchases') }}
    union all
    select shop_id, 'daily_sales' as report, day as period, total from {{ ref('daily_sales') }}
    union all
    select shop_id, 'daily_purchases' as report, day as period, total from {{ ref('daily_purchases') }}
),

compared as (
    select
        theirs.shop_id,
        theirs.report,
        theirs.period,
        cast(coalesce(ours.total, 0) as {{ money() }}) as ours,
        cast(theirs.total as {{ money() }}) as theirs,
        theirs.fetched_at
    from {{ source('ops', 'service_reports') }} as theirs
    left join ours
        on ours.shop_id = theirs.shop_id
        and ours.report = theirs.report
        and ours.period = theirs.period
    where theirs.total is not null
)

select
    shop_id,
    report,
    period,
    ours,
    theirs,
    cast(ours - theirs as {{ money() }}) as difference,
    -- To the cent: the service rounds its totals, ours keep four places.
    abs(ours - theirs) <= 0.005 as matches,
    fetched_at
from compared
