-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from {{ source('raw', 'suppliers') }}
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
        nullif(source.company, '') as company,
        nullif(source.contact_name, '') as contact_name,
        nullif(source.mobile, '') as mobile,
        nullif(source.phone, '') as phone,
        nullif(source.email, '') as email,
        nullif(source.address, '') as address,
        nullif(source.town, '') as town,
        nullif(source.county, '') as county,
        nullif(source.postcode, '') as postcode,
        nullif(source.country_code, '') as country_code,
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
