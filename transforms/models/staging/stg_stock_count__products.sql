-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from {{ source('raw', 'stock_count__products') }}
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
        cast(source.expected as {{ money() }}) as expected,
        cast(source.counted as {{ money() }}) as counted,
        cast(source.difference as {{ money() }}) as difference,
        cast(source.quantity as {{ money() }}) as quantity,
        -- state of the row
        source._unreadable as unreadable
    from source
)

select * from renamed
