select
    shop_id,
    month,
    cast(count(*) as bigint) as customers,
    cast(sum(case when is_first then 1 else 0 end) as bigint) as new_customers,
    cast(sum(case when is_again then 1 else 0 end) as bigint) as returning_customers,
    cast(sum(case when is_again then 1 else 0 end) * 1.0 / count(*) as {{ money() }}) as returning_share,
    cast(sum(visits) as bigint) as visits
from {{ ref('int_customer_months') }}
group by 1, 2
