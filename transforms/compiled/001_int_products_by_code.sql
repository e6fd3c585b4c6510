-- path: models/intermediate/int_products_by_code.sql
-- kind: table
-- schema: intermediate
-- table: int_products_by_code

-- The product that a line's code means: of several with one code, one that exists. A table: it is looked up for
-- each line, by several models.

select shop_id, code, id, name, type, category_name, cost_price
from (
    select
        shop_id, code, id, name, type, category_name, cost_price,
        row_number() over (
            partition by shop_id, code
            order by case when deleted_at is null then 0 else 1 end, id
        ) as place
    from "staging"."products"
    where code is not null
) as placed
where place = 1
