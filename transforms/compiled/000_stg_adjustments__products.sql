-- path: models/staging/stg_adjustments__products.sql
-- kind: view
-- schema: staging
-- table: adjustments__products

-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from "raw"."adjustments__products"
),

renamed as (
    select
        -- ids
        source.shop_id,
        source._dlt_id as row_key,
        source.parent_id as adjustment_id,
        source._dlt_list_idx as position,
        source.id,
        nullif(source.product_id, '') as product_id,
        nullif(source.stock_id, '') as stock_id,
        -- texts
        nullif(source.type, '') as type,
        -- numbers
        cast(source.quantity as decimal(28, 4)) as quantity,
        -- flags
        source.internal_use as is_internal_use,
        source.breakage as is_breakage,
        -- state of the row
        source._unreadable as unreadable
    from source
)

select * from renamed
