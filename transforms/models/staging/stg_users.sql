-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from {{ source('raw', 'users') }}
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
        nullif(source.first_name, '') as first_name,
        nullif(source.last_name, '') as last_name,
        nullif(source.name, '') as name,
        nullif(source.email, '') as email,
        nullif(source.mobile, '') as mobile,
        nullif(source.phone, '') as phone,
        nullif(source.address, '') as address,
        nullif(source.website, '') as website,
        nullif(source.gender, '') as gender,
        nullif(source.type, '') as type,
        nullif(source.status, '') as status,
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
