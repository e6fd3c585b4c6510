-- path: models/staging/stg_stock_count__products.sql
-- kind: view
-- schema: staging
-- table: stock_count__products

-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from "raw"."stock_count__products"
),

renamed as (
    select
        -- ids
        source.shop_id,
        source._dlt_id as row_key,
        source.parent_id as stock_count_id,
        source._dlt_list_idx as position,
        source.id,
        nullif(source.product_id, '') as product_id,
        -- texts
        nullif(source.product_code, '') as product_code,
        nullif(source.product_name, '') as product_name,
        -- numbers
        cast(source.expected as decimal(28, 4)) as expected,
        cast(source.counted as decimal(28, 4)) as counted,
        cast(source.difference as decimal(28, 4)) as difference,
        cast(source.quantity as decimal(28, 4)) as quantity,
        -- state of the row
        source._unreadable as unreadable
    from source
)

select * from renamed
