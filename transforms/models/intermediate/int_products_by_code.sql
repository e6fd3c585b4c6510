-- The product that a line's code means: of several with one code, one that exists. A table: it is looked up for
-- each line, by several models.
{{ config(materialized='table') }}
select shop_id, code, id, name, type, category_name, cost_price
from (
    select
        products.shop_id, products.code, products.id, products.name, products.type, products.cost_price,
        coalesce(products.category_name, categories.name, products.category_id) as category_name,
        row_number() over (
            partition by products.shop_id, products.code
            order by case when products.deleted_at is null then 0 else 1 end, products.id
        ) as place
    from {{ ref('stg_products') }} as products
    {{ named_in('categories', 'products', 'category_id') }}
    where products.code is not null
) as placed
where place = 1
