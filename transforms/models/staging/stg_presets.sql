-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from {{ source('raw', 'presets') }}
),

shops as (
    select shop_id, timezone from {{ source('ops', 'shops') }}
),

renamed as (
    select
        -- ids
        source.shop_id,
        source.id,
        nullif(source.legal_document_id, '') as legal_document_id,
        source.category__id as category_id,
        source.brand__id as brand_id,
        source.model__id as model_id,
        source.issue_type__id as issue_type_id,
        -- texts
        nullif(source.name, '') as name,
        source.category__name as category_name,
        source.brand__name as brand_name,
        source.model__name as model_name,
        source.issue_type__label as issue_type_label,
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
