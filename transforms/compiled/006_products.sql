-- path: models/marts/products.sql
-- kind: table
-- schema: marts
-- table: products
-- tests: grain_products_shop_id__id

with sold as (
    select
        lines.shop_id, lines.product_id,
        max(case when lines.effect <> 'return' and coalesce(lines.quantity, 1) > 0 then lines.day end) as last_sold_day,
        sum(lines.quantity) as sold_quantity,
        sum(lines.total) as revenue,
        sum(case when lines.day > 

    (shops.today + cast(-90 as bigint) * interval 1 day) then lines.quantity else 0 end)
            as sold_quantity_90_days
    from "marts"."sales_lines" as lines
    inner join "intermediate"."int_shops" as shops on shops.shop_id = lines.shop_id
    where lines.product_id is not null
    group by 1, 2
),

ordered as (
    select shop_id, product_id, sum(quantity) as quantity
    from "marts"."stock_on_order"
    where product_id is not null
    group by 1, 2
),

figures as (
    select
        products.*,
        coalesce(products.category_name, categories.name, products.category_id) as category,
        coalesce(products.supplier_company, suppliers.company) as supplier,
        coalesce(lower(products.type) in ('service', 'services'), false) as is_service,
        shops.today,
        coalesce(ordered.quantity, 0) as on_order_quantity,
        sold.last_sold_day,
        coalesce(sold.sold_quantity, 0) as sold_quantity,
        coalesce(sold.revenue, 0) as revenue,
        coalesce(sold.sold_quantity_90_days, 0) as sold_quantity_90_days
    from "staging"."products" as products
    inner join "intermediate"."int_shops" as shops on shops.shop_id = products.shop_id
    left join sold on sold.shop_id = products.shop_id and sold.product_id = products.id
    left join ordered on ordered.shop_id = products.shop_id and ordered.product_id = products.id
    left join "staging"."categories" as categories on categories.shop_id = products.shop_id and categories.id = products.category_id
    left join "staging"."suppliers" as suppliers on suppliers.shop_id = products.shop_id and suppliers.id = products.supplier_id
    where products.deleted_at is null
)

select
    shop_id,
    id,
    code,
    name,
    case when is_service then 'service' else 'product' end as type,
    brand_name as brand,
    model_name as model,
    category,
    supplier_id,
    supplier,
    condition,
    status,
    coalesce(lower(status), 'active') not in ('in active', 'inactive', 'request') as is_active,
    physical_location as location,
    retail_price,
    retail_price_inc_vat,
    cost_price,
    cast(retail_price - cost_price as decimal(28, 4)) as unit_margin,
    case when retail_price > 0
        then cast((retail_price - cost_price) / retail_price as decimal(28, 4)) end as margin_share,
    stock as stock_quantity,
    case
        when abs(stock) < 1000 and abs(cost_price) < 10000000
            then cast(try_cast(stock as decimal(7, 4)) * try_cast(cost_price as decimal(11, 4)) as decimal(28, 4))
        else case
        when abs(stock) < 1000000000000 and abs(cost_price) < 1000000000000
            then cast(stock * cost_price as decimal(28, 4))
    end
    end as stock_value,
    cast(on_order_quantity as decimal(28, 4)) as on_order_quantity,
    alert_quantity,
    reorder_quantity,
    -- Nobody orders a service.
    coalesce(stock <= alert_quantity and not is_service, false) as is_below_reorder_level,
    cast(sold_quantity as decimal(28, 4)) as sold_quantity,
    cast(sold_quantity_90_days as decimal(28, 4)) as sold_quantity_90_days,
    cast(revenue as decimal(28, 4)) as revenue,
    last_sold_day,
    -- Stock over the average daily sale of the last 90 days.
    case when stock > 0 and sold_quantity_90_days > 0
        then cast(stock * 90 / sold_quantity_90_days as decimal(28, 4)) end as days_of_cover,
    coalesce(
        stock > 0
        and not is_service
        and coalesce(last_sold_day, created_day) < 

    (today + cast(-180 as bigint) * interval 1 day),
        false
    ) as is_dead_stock,
    created_day
from figures
