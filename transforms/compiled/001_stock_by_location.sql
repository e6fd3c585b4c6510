-- path: models/marts/stock_by_location.sql
-- kind: table
-- schema: marts
-- table: stock_by_location
-- tests: grain_stock_by_location_shop_id__product_id__location

select
    stock.shop_id,
    stock.product_id,
    coalesce(stock.location, products.physical_location, '') as location,
    max(coalesce(products.name, stock.product_name)) as product,
    cast(sum(coalesce(stock.remaining, stock.quantity, 0)) as decimal(28, 4)) as quantity,
    cast(sum(case
        when abs(coalesce(stock.remaining, stock.quantity, 0)) < 1000 and abs(coalesce(stock.cost_per_item, products.cost_price, 0)) < 10000000
            then cast(try_cast(coalesce(stock.remaining, stock.quantity, 0) as decimal(7, 4)) * try_cast(coalesce(stock.cost_per_item, products.cost_price, 0) as decimal(11, 4)) as decimal(28, 4))
        else case
        when abs(coalesce(stock.remaining, stock.quantity, 0)) < 1000000000000 and abs(coalesce(stock.cost_per_item, products.cost_price, 0)) < 1000000000000
            then cast(coalesce(stock.remaining, stock.quantity, 0) * coalesce(stock.cost_per_item, products.cost_price, 0) as decimal(28, 4))
    end
    end)
        as decimal(28, 4)) as stock_value,
    cast(count(*) as bigint) as batches,
    min(stock.expiry_day) as first_expiry_day
from "staging"."stock" as stock
left join "staging"."products" as products
    on products.shop_id = stock.shop_id and products.id = stock.product_id
where stock.deleted_at is null and stock.product_id is not null
group by 1, 2, 3
