with sold as (
    select
        lines.shop_id, lines.product_id,
        max(case when lines.effect <> 'return' and coalesce(lines.quantity, 1) > 0 then lines.day end) as last_sold_day,
        sum(lines.quantity) as sold_quantity,
        sum(lines.total) as revenue,
        sum(case when lines.day > {{ dbt.dateadd('day', -90, 'shops.today') }} then lines.quantity else 0 end)
            as sold_quantity_90_days
    from {{ ref('sales_lines') }} as lines
    inner join {{ ref('int_shops') }} as shops on shops.shop_id = lines.shop_id
    where lines.product_id is not null
    group by 1, 2
),

ordered as (
    select shop_id, product_id, sum(quantity) as quantity
    from {{ ref('stock_on_order') }}
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
    from {{ ref('stg_products') }} as products
    inner join {{ ref('int_shops') }} as shops on shops.shop_id = products.shop_id
    left join sold on sold.shop_id = products.shop_id and sold.product_id = products.id
    left join ordered on ordered.shop_id = products.shop_id and ordered.product_id = products.id
    {{ named_in('categories', 'products', 'category_id') }}
    {{ named_in('suppliers', 'products', 'supplier_id') }}
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
    cast(retail_price - cost_price as {{ money() }}) as unit_margin,
    case when retail_price > 0
        then cast((retail_price - cost_price) / retail_price as {{ money() }}) end as margin_share,
    stock as stock_quantity,
    {{ product_of('stock', 'cost_price') }} as stock_value,
    cast(on_order_quantity as {{ money() }}) as on_order_quantity,
    alert_quantity,
    reorder_quantity,
    -- Nobody orders a service.
    coalesce(stock <= alert_quantity and not is_service, false) as is_below_reorder_level,
    cast(sold_quantity as {{ money() }}) as sold_quantity,
    cast(sold_quantity_90_days as {{ money() }}) as sold_quantity_90_days,
    cast(revenue as {{ money() }}) as revenue,
    last_sold_day,
    -- Stock over the average daily sale of the last 90 days.
    case when stock > 0 and sold_quantity_90_days > 0
        then cast(stock * 90 / sold_quantity_90_days as {{ money() }}) end as days_of_cover,
    coalesce(
        stock > 0
        and not is_service
        and coalesce(last_sold_day, created_day) < {{ dbt.dateadd('day', -180, 'today') }},
        false
    ) as is_dead_stock,
    created_day
from figures
