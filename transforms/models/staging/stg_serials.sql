-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from {{ source('raw', 'serials') }}
),

shops as (
    select shop_id, timezone from {{ source('ops', 'shops') }}
),

renamed as (
    select
        -- ids
        source.shop_id,
        source.id,
        nullif(source.stock_id, '') as stock_id,
        source.product__id as product_id,
        -- texts
        nullif(source.serial, '') as serial,
        nullif(source.status, '') as status,
        source.product__name as product_name,
        source.product__code as product_code,
        -- numbers
        cast(source.term_in_days as {{ money() }}) as term_in_days,
        -- times
        {{ moment('source.created_date', 'created') }},
        -- state of the row
        source._seen_at as seen_at,
        source._deleted_at as deleted_at,
        source._unreadable as unreadable
    from source
    left join shops on shops.shop_id = source.shop_id
)

select * from renamed
