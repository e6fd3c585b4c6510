with firsts as (
    select shop_id, customer_id, min(day) as first_day from {{ ref('int_visits') }} group by 1, 2
),

came as (
    select
        visits.shop_id,
        visits.customer_id,
        {{ month_of('visits.day') }} as month,
        count(distinct visits.day) as visits,
        max(case when visits.day > firsts.first_day then 1 else 0 end) as came_again,
        max(case when visits.day = firsts.first_day then 1 else 0 end) as came_first
    from {{ ref('int_visits') }} as visits
    inner join firsts
        on firsts.shop_id = visits.shop_id and firsts.customer_id = visits.customer_id
    group by 1, 2, 3
)

select
    shop_id,
    month,
    cast(count(*) as bigint) as customers,
    cast(sum(came_first) as bigint) as new_customers,
    cast(sum(came_again) as bigint) as returning_customers,
    cast(sum(came_again) * 1.0 / count(*) as {{ money() }}) as returning_share,
    cast(sum(visits) as bigint) as visits
from came
group by 1, 2
