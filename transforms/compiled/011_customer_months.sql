-- path: models/marts/customer_months.sql
-- kind: table
-- schema: marts
-- table: customer_months
-- tests: grain_customer_months_shop_id__month

select
    shop_id,
    month,
    cast(count(*) as bigint) as customers,
    cast(sum(case when is_first then 1 else 0 end) as bigint) as new_customers,
    cast(sum(case when is_again then 1 else 0 end) as bigint) as returning_customers,
    cast(sum(case when is_again then 1 else 0 end) * 1.0 / count(*) as decimal(28, 4)) as returning_share,
    cast(sum(visits) as bigint) as visits
from "intermediate"."int_customer_months"
group by 1, 2
