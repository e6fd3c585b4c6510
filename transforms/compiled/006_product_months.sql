-- path: models/marts/product_months.sql
-- kind: table
-- schema: marts
-- table: product_months
-- tests: grain_product_months_shop_id__month__product_key

with lines as (
    select
        *,
        cast(date_trunc('month', day) as date) as month,
        coalesce(product_id, product_code, item_description, 'unknown') as product_key
    from "marts"."sales_lines"
    where day is not null
)

select
    shop_id,
    month,
    product_key,
    max(coalesce(product, item_description)) as product,
    max(coalesce(category, 'none')) as category,
    max(coalesce(product_type, 'unknown')) as product_type,
    cast(sum(quantity) as decimal(28, 4)) as quantity,
    cast(sum(total) as decimal(28, 4)) as revenue,
    cast(sum(tax) as decimal(28, 4)) as tax,
    cast(sum(net) as decimal(28, 4)) as net,
    cast(sum(cost) as decimal(28, 4)) as cost,
    cast(sum(margin) as decimal(28, 4)) as margin,
    cast(sum(case when cost is null then net else 0 end) as decimal(28, 4)) as uncosted
from lines
group by 1, 2, 3
