-- The product that a line means by what it calls it (`product_called`): of several with one code, one that exists. A
-- table: it is looked up for each line, by several models.
{{ config(materialized='table') }}
with products as (
    select
        products.shop_id, products.code, products.id, products.name, products.type, products.cost_price,
        coalesce(products.category_name, categories.name, products.category_id) as category_name,
        products.deleted_at
    from {{ ref('stg_products') }} as products
    {{ named_in('categories', 'products', 'category_id') }}
)

select shop_id, code as called, id, name, type, category_name, cost_price
from (
    select
        products.*,
        row_number() over (
            partition by shop_id, code order by case when deleted_at is null then 0 else 1 end, id
        ) as place
    from products
    where code is not null
) as placed
where place = 1

union all

select shop_id, concat('id:', id) as called, id, name, type, category_name, cost_price
from products
