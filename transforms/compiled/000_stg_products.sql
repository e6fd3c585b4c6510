-- path: models/staging/stg_products.sql
-- kind: view
-- schema: staging
-- table: products

-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from "raw"."products"
),

shops as (
    select shop_id, timezone from "ops"."shops"
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
        cast(source.stock as decimal(28, 4)) as stock,
        cast(source.alert_quantity as decimal(28, 4)) as alert_quantity,
        cast(source.reorder_quantity as decimal(28, 4)) as reorder_quantity,
        cast(source.prices__retail_price as decimal(28, 4)) as retail_price,
        cast(source.prices__retail_price_inc_vat as decimal(28, 4)) as retail_price_inc_vat,
        cast(source.prices__cost_price as decimal(28, 4)) as cost_price,
        cast(source.prices__cost_price_inc_vat as decimal(28, 4)) as cost_price_inc_vat,
        cast(source.prices__vat as decimal(28, 4)) as vat,
        -- flags
        source.inventory_control as has_inventory_control,
        source.serialised_stock as has_serialised_stock,
        source.discountable as is_discountable,
        source.one_time_use as is_one_time_use,
        -- times
        case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when coalesce(shops.timezone, 'UTC') = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone coalesce(shops.timezone, 'UTC') end
        end as created_at,
        case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end
                then cast(case when coalesce(shops.timezone, 'UTC') = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp with time zone) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp with time zone) at time zone coalesce(shops.timezone, 'UTC') end as date)
            else try_cast(substr(source.created_date, 1, 10) as date)
        end as created_day,
        case
            when case when source.last_updated like '__________T________-__:__' or source.last_updated like '__________T________+__:__' then true
            else source.last_updated like '%T%+__:__' or source.last_updated like '%T%-__:__' or source.last_updated like '%T%Z' end then try_cast(source.last_updated as timestamp with time zone)
            else case when coalesce(shops.timezone, 'UTC') = cast(getvariable('usual_zone') as varchar) then try_cast(source.last_updated as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.last_updated as timestamp) at time zone coalesce(shops.timezone, 'UTC') end
        end as last_updated_at,
        case
            when case when source.last_updated like '__________T________-__:__' or source.last_updated like '__________T________+__:__' then true
            else source.last_updated like '%T%+__:__' or source.last_updated like '%T%-__:__' or source.last_updated like '%T%Z' end
                then cast(case when coalesce(shops.timezone, 'UTC') = cast(getvariable('usual_zone') as varchar) then try_cast(source.last_updated as timestamp with time zone) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.last_updated as timestamp with time zone) at time zone coalesce(shops.timezone, 'UTC') end as date)
            else try_cast(substr(source.last_updated, 1, 10) as date)
        end as last_updated_day,
        -- state of the row
        source._seen_at as seen_at,
        source._deleted_at as deleted_at,
        source._unreadable as unreadable
    from source
    left join shops on shops.shop_id = source.shop_id
)

select * from renamed
