-- path: models/intermediate/int_customer_months.sql
-- kind: table
-- schema: intermediate
-- table: int_customer_months

-- The months in which each customer came.

with days as (
    select distinct shop_id, customer_id, day from "intermediate"."int_visits"
),

came as (
    select
        shop_id, customer_id, cast(date_trunc('month', day) as date) as month,
        count(*) as visits, min(day) as first_day, max(day) as last_day
    from days
    group by 1, 2, 3
)

select
    shop_id,
    customer_id,
    month,
    cast(visits as integer) as visits,
    first_day = min(first_day) over (partition by shop_id, customer_id) as is_first,
    last_day > min(first_day) over (partition by shop_id, customer_id) as is_again
from came
