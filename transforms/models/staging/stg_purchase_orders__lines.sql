-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from {{ source('raw', 'purchase_orders__lines') }}
),

renamed as (
    select
        -- ids
        source.shop_id,
        source._dlt_id as row_key,
        source.parent_id as purchase_order_id,
        source._dlt_list_idx as position,
        source.id,
        source.product__id as product_id,
        -- texts
        nullif(source.product_code, '') as product_code,
        nullif(source.item_description, '') as item_description,
        -- numbers
        cast(source.quantity as {{ money() }}) as quantity,
        cast(source.unit_price as {{ money() }}) as unit_price,
        cast(source.discount as {{ money() }}) as discount,
        cast(source.tax as {{ money() }}) as tax,
        cast(source.total as {{ money() }}) as total,
        cast(source.cost as {{ money() }}) as cost,
        -- state of the row
        source._unreadable as unreadable
    from source
)

select * from renamed
