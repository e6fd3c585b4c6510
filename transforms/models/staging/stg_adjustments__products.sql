-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from {{ source('raw', 'adjustments__products') }}
),

renamed as (
    select
        -- ids
        source.shop_id,
        source._dlt_id as row_key,
        source.parent_id as adjustment_id,
        source._dlt_list_idx as position,
        source.id,
        source.product_id,
        source.stock_id,
        -- texts
        source.type,
        -- numbers
        cast(source.quantity as {{ money() }}) as quantity,
        -- flags
        source.internal_use as is_internal_use,
        source.breakage as is_breakage,
        -- state of the row
        source._unreadable as unreadable
    from source
)

select * from renamed
