-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from {{ source('raw', 'payment_methods') }}
),

shops as (
    select shop_id, timezone from {{ source('ops', 'shops') }}
),

renamed as (
    select
        -- ids
        source.shop_id,
        source.id,
        -- texts
        nullif(source.title, '') as title,
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
