with days as (
    select distinct shop_id, customer_id, day from {{ ref('int_visits') }}
),

came as (
    select
        shop_id, customer_id, {{ month_of('day') }} as month,
        count(*) as visits, min(day) as first_day, max(day) as last_day
    from days
    group by 1, 2, 3
),

firsts as (
    select shop_id, customer_id, min(first_day) as first_day from came group by 1, 2
),

told as (
    select
        came.*,
        case when came.first_day = firsts.first_day then 1 else 0 end as came_first,
        case when came.last_day > firsts.first_day then 1 else 0 end as came_again
    from came
    inner join firsts on firsts.shop_id = came.shop_id and firsts.customer_id = came.customer_id
)

select
    shop_id,
    month,
    cast(count(*) as bigint) as customers,
    cast(sum(came_first) as bigint) as new_customers,
    cast(sum(came_again) as bigint) as returning_customers,
    cast(sum(came_again) * 1.0 / count(*) as {{ money() }}) as returning_share,
    cast(sum(visits) as bigint) as visits
from told
group by 1, 2
