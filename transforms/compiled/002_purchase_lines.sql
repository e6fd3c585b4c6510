-- path: models/marts/purchase_lines.sql
-- kind: table
-- schema: marts
-- table: purchase_lines
-- tests: grain_purchase_lines_shop_id__purchase_id__position

with lines as (
    select lines.*, case when products.id is null then lines.product_code else concat('id:', products.id) end as product_called
    from "staging"."purchase_orders__lines" as lines
    left join "staging"."products" as products on products.shop_id = lines.shop_id and products.id = lines.product_id
)

select
    orders.shop_id,
    orders.document_id as purchase_id,
    orders.document_number as purchase_number,
    lines.position,
    orders.supplier_id,
    orders.supplier,
    orders.status,
    orders.created_day,
    orders.received_day,
    lines.product_code,
    products.id as product_id,
    coalesce(products.name, lines.item_description) as product,
    products.category_name as category,
    lines.quantity,
    coalesce(lines.unit_price, lines.cost) as unit_cost,
    lag(coalesce(lines.unit_price, lines.cost)) over (
        partition by orders.shop_id, coalesce(lines.product_code, products.id, lines.item_description)
        order by orders.created_at, length(orders.document_id), orders.document_id, lines.position
    ) as unit_cost_before,
    lines.discount,
    lines.tax,
    coalesce(lines.total, case
        when abs(lines.quantity) < 1000 and abs(coalesce(lines.unit_price, lines.cost)) < 10000000
            then cast(try_cast(lines.quantity as decimal(7, 4)) * try_cast(coalesce(lines.unit_price, lines.cost) as decimal(11, 4)) as decimal(28, 4))
        else case
        when abs(lines.quantity) < 1000000000000 and abs(coalesce(lines.unit_price, lines.cost)) < 1000000000000
            then cast(lines.quantity * coalesce(lines.unit_price, lines.cost) as decimal(28, 4))
    end
    end) as total
from lines
inner join "marts"."purchase_documents" as orders
    on orders.shop_id = lines.shop_id
    and orders.document_id = lines.purchase_order_id
    and orders.effect = 'purchase_order'
left join "intermediate"."int_named_products" as products
    on products.shop_id = lines.shop_id
    and products.called = lines.product_called
