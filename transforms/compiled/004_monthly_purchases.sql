-- path: models/marts/monthly_purchases.sql
-- kind: table
-- schema: marts
-- table: monthly_purchases
-- tests: grain_monthly_purchases_shop_id__month

select
    shop_id,
    cast(date_trunc('month', day) as date) as month,
    cast(sum(total) as decimal(28, 4)) as total,
    cast(sum(cost) as decimal(28, 4)) as cost,
    cast(sum(shipping_cost) as decimal(28, 4)) as shipping_cost,
    cast(sum(tax) as decimal(28, 4)) as tax,
    cast(sum(net) as decimal(28, 4)) as net,
    cast(sum(expenses) as decimal(28, 4)) as expenses,
    cast(sum(document_count) as bigint) as document_count
from "marts"."daily_purchases"
group by 1, 2
