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
),

firsts as (
    select shop_id, customer_id, min(first_day) as first_day from came group by 1, 2
)

select
    came.shop_id,
    came.customer_id,
    came.month,
    cast(came.visits as integer) as visits,
    came.first_day = firsts.first_day as is_first,
    came.last_day > firsts.first_day as is_again
from came
inner join firsts on firsts.shop_id = came.shop_id and firsts.customer_id = came.customer_id
