-- path: models/staging/stg_purchase_orders.sql
-- kind: view
-- schema: staging
-- table: purchase_orders

-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from "raw"."purchase_orders"
),

shops as (
    select shop_id, timezone from "ops"."shops"
),

renamed as (
    select
        -- ids
        source.shop_id,
        source.id,
        source.supplier__id as supplier_id,
        -- texts
        nullif(source.number, '') as number,
        nullif(source.status, '') as status,
        nullif(source.notes, '') as notes,
        source.supplier__company as supplier_company,
        -- numbers
        cast(source.cost as decimal(28, 4)) as cost,
        cast(source.shipping_cost as decimal(28, 4)) as shipping_cost,
        cast(source.tax_total as decimal(28, 4)) as tax_total,
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
            when case when source.received_date like '__________T________-__:__' or source.received_date like '__________T________+__:__' then true
            else source.received_date like '%T%+__:__' or source.received_date like '%T%-__:__' or source.received_date like '%T%Z' end then try_cast(source.received_date as timestamp with time zone)
            else case when coalesce(shops.timezone, 'UTC') = cast(getvariable('usual_zone') as varchar) then try_cast(source.received_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.received_date as timestamp) at time zone coalesce(shops.timezone, 'UTC') end
        end as received_at,
        case
            when case when source.received_date like '__________T________-__:__' or source.received_date like '__________T________+__:__' then true
            else source.received_date like '%T%+__:__' or source.received_date like '%T%-__:__' or source.received_date like '%T%Z' end
                then cast(case when coalesce(shops.timezone, 'UTC') = cast(getvariable('usual_zone') as varchar) then try_cast(source.received_date as timestamp with time zone) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.received_date as timestamp with time zone) at time zone coalesce(shops.timezone, 'UTC') end as date)
            else try_cast(substr(source.received_date, 1, 10) as date)
        end as received_day,
        case
            when case when source.expected_date like '__________T________-__:__' or source.expected_date like '__________T________+__:__' then true
            else source.expected_date like '%T%+__:__' or source.expected_date like '%T%-__:__' or source.expected_date like '%T%Z' end then try_cast(source.expected_date as timestamp with time zone)
            else case when coalesce(shops.timezone, 'UTC') = cast(getvariable('usual_zone') as varchar) then try_cast(source.expected_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.expected_date as timestamp) at time zone coalesce(shops.timezone, 'UTC') end
        end as expected_at,
        case
            when case when source.expected_date like '__________T________-__:__' or source.expected_date like '__________T________+__:__' then true
            else source.expected_date like '%T%+__:__' or source.expected_date like '%T%-__:__' or source.expected_date like '%T%Z' end
                then cast(case when coalesce(shops.timezone, 'UTC') = cast(getvariable('usual_zone') as varchar) then try_cast(source.expected_date as timestamp with time zone) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.expected_date as timestamp with time zone) at time zone coalesce(shops.timezone, 'UTC') end as date)
            else try_cast(substr(source.expected_date, 1, 10) as date)
        end as expected_day,
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
