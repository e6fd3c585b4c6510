-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from {{ source('raw', 'custom_fields') }}
),

shops as (
    select shop_id, timezone from {{ source('ops', 'shops') }}
),

renamed as (
    select
        -- ids
        source.shop_id,
        source.id,
        nullif(source.category_id, '') as category_id,
        nullif(source.tab_id, '') as tab_id,
        -- texts
        nullif(source.type, '') as type,
        nullif(source.name, '') as name,
        nullif(source.label, '') as label,
        nullif(source.field_type, '') as field_type,
        nullif(source.options, '') as options,
        -- flags
        source.required as is_required,
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
