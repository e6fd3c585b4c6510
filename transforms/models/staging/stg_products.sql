-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from {{ source('raw', 'products') }}
),

shops as (
    select shop_id, timezone from {{ source('ops', 'shops') }}
),

renamed as (
    select
        -- ids
        source.shop_id,
        source.id,
        source.brand__id as brand_id,
        source.model__id as model_id,
        source.category__id as category_id,
        source.supplier__id as supplier_id,
        -- texts
        nullif(source.type, '') as type,
        nullif(source.name, '') as name,
        nullif(source.code, '') as code,
        nullif(source.physical_location, '') as physical_location,
        nullif(source.supplier_code, '') as supplier_code,
        nullif(source.condition, '') as condition,
        nullif(source.status, '') as status,
        nullif(source.description, '') as description,
        nullif(source.imei, '') as imei,
        nullif(source.supplier_item_code, '') as supplier_item_code,
        source.brand__name as brand_name,
        source.model__name as model_name,
        source.category__name as category_name,
        source.supplier__company as supplier_company,
        source.photourls__large as photo_url,
        -- numbers
        cast(source.stock as {{ money() }}) as stock,
        cast(source.alert_quantity as {{ money() }}) as alert_quantity,
        cast(source.reorder_quantity as {{ money() }}) as reorder_quantity,
        cast(source.prices__retail_price as {{ money() }}) as retail_price,
        cast(source.prices__retail_price_inc_vat as {{ money() }}) as retail_price_inc_vat,
        cast(source.prices__cost_price as {{ money() }}) as cost_price,
        cast(source.prices__cost_price_inc_vat as {{ money() }}) as cost_price_inc_vat,
        cast(source.prices__vat as {{ money() }}) as vat,
        -- flags
        source.inventory_control as has_inventory_control,
        source.serialised_stock as has_serialised_stock,
        source.discountable as is_discountable,
        source.one_time_use as is_one_time_use,
        -- times
        {{ moment('source.created_date', 'created') }},
        {{ moment('source.last_updated', 'last_updated') }},
        -- state of the row
        source._seen_at as seen_at,
        source._deleted_at as deleted_at,
        source._unreadable as unreadable
    from source
    left join shops on shops.shop_id = source.shop_id
)

select * from renamed
