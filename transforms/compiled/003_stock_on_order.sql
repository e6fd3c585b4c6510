-- path: models/marts/stock_on_order.sql
-- kind: table
-- schema: marts
-- table: stock_on_order
-- tests: grain_stock_on_order_shop_id__product_key

with products as (
    select
        shop_id, id, code, name,
        row_number() over (
            partition by shop_id, code
            order by case when deleted_at is null then 0 else 1 end, id
        ) as place
    from "staging"."products"
    where code is not null
)

select
    orders.shop_id,
    coalesce(lines.product_code, lines.item_description, 'unknown') as product_key,
    max(products.id) as product_id,
    max(coalesce(products.name, lines.item_description)) as product,
    cast(sum(coalesce(lines.quantity, 0)) as decimal(28, 4)) as quantity,
    cast(sum(coalesce(lines.total, case
        when abs(lines.quantity) < 1000 and abs(coalesce(lines.unit_price, lines.cost)) < 10000000
            then cast(try_cast(lines.quantity as decimal(7, 4)) * try_cast(coalesce(lines.unit_price, lines.cost) as decimal(11, 4)) as decimal(28, 4))
        else case
        when abs(lines.quantity) < 1000000000000 and abs(coalesce(lines.unit_price, lines.cost)) < 1000000000000
            then cast(lines.quantity * coalesce(lines.unit_price, lines.cost) as decimal(28, 4))
    end
    end, 0)) as decimal(28, 4))
        as amount,
    cast(count(distinct orders.id) as bigint) as orders,
    min(orders.created_day) as first_ordered_day,
    min(orders.expected_day) as first_expected_day,
    cast(count(distinct case when orders.is_late then orders.id end) as bigint) as late_orders
from "marts"."purchases" as orders
inner join "staging"."purchase_orders__lines" as lines
    on lines.shop_id = orders.shop_id and lines.purchase_order_id = orders.id
left join products
    on products.shop_id = lines.shop_id and products.code = lines.product_code and products.place = 1
where orders.is_open
group by 1, 2
