-- path: models/marts/purchases.sql
-- kind: table
-- schema: marts
-- table: purchases
-- tests: grain_purchases_shop_id__id

with lines as (
    select shop_id, purchase_order_id, count(*) as lines, sum(quantity) as quantity
    from "staging"."purchase_orders__lines"
    group by 1, 2
)

select
    orders.shop_id,
    orders.document_id as id,
    orders.document_number as number,
    orders.supplier_id,
    orders.supplier,
    orders.status,
    orders.created_day,
    orders.expected_day,
    orders.received_day,
    orders.received_day is null and coalesce(lower(orders.status), '') <> 'received' as is_open,
    cast(
        (date_diff('day', orders.created_day::timestamp, orders.received_day::timestamp ))
     as bigint) as lead_days,
    case
        when orders.expected_day is null or (orders.received_day is null and lower(orders.status) = 'received') then null
        else coalesce(orders.received_day, shops.today) > orders.expected_day
    end as is_late,
    orders.cost,
    orders.shipping_cost,
    cast(orders.cost + orders.shipping_cost as decimal(28, 4)) as total,
    orders.tax,
    coalesce(lines.lines, 0) as lines,
    cast(coalesce(lines.quantity, 0) as decimal(28, 4)) as quantity
from "marts"."purchase_documents" as orders
inner join "intermediate"."int_shops" as shops on shops.shop_id = orders.shop_id
left join lines on lines.shop_id = orders.shop_id and lines.purchase_order_id = orders.document_id
where orders.effect = 'purchase_order'
