-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from {{ source('raw', 'tax_rates') }}
),

renamed as (
    select
        -- ids
        source.shop_id,
        source.id,
        -- texts
        nullif(source.name, '') as name,
        nullif(source.code, '') as code,
        nullif(source.type, '') as type,
        -- numbers
        cast(source.value as {{ money() }}) as value,
        -- state of the row
        source._seen_at as seen_at,
        source._deleted_at as deleted_at,
        source._unreadable as unreadable
    from source
)

select * from renamed
