-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from {{ source('raw', 'stock') }}
),

shops as (
    select shop_id, timezone from {{ source('ops', 'shops') }}
),

renamed as (
    select
        -- ids
        source.shop_id,
        source.id,
        source.product__id as product_id,
        -- texts
        nullif(source.location, '') as location,
        source.product__name as product_name,
        source.product__code as product_code,
        -- numbers
        cast(source.quantity as {{ money() }}) as quantity,
        cast(source.remaining as {{ money() }}) as remaining,
        cast(source.cog_per_item as {{ money() }}) as cost_per_item,
        -- flags
        source.serialize_stock as has_serialised_stock,
        source.internal_use as is_internal_use,
        source.breakage as is_breakage,
        -- times
        {{ moment('source.expired_on', 'expiry') }},
        {{ moment('source.created_date', 'created') }},
        -- state of the row
        source._seen_at as seen_at,
        source._deleted_at as deleted_at,
        source._unreadable as unreadable
    from source
    left join shops on shops.shop_id = source.shop_id
)

select * from renamed
