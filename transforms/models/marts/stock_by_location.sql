select
    stock.shop_id,
    stock.product_id,
    coalesce(stock.location, products.physical_location, '') as location,
    max(coalesce(products.name, stock.product_name)) as product,
    cast(sum(coalesce(stock.remaining, stock.quantity, 0)) as {{ money() }}) as quantity,
    cast(sum({{ product_of('coalesce(stock.remaining, stock.quantity, 0)', 'coalesce(stock.cost_per_item, products.cost_price, 0)') }})
        as {{ money() }}) as stock_value,
    cast(count(*) as bigint) as batches,
    min(stock.expiry_day) as first_expiry_day
from {{ ref('stg_stock') }} as stock
left join {{ ref('stg_products') }} as products
    on products.shop_id = stock.shop_id and products.id = stock.product_id
where stock.deleted_at is null and stock.product_id is not null
group by 1, 2, 3
