-- path: models/staging/stg_shipments.sql
-- kind: view
-- schema: staging
-- table: shipments

-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from "raw"."shipments"
),

shops as (
    select shop_id, timezone from "ops"."shops"
),

renamed as (
    select
        -- ids
        source.shop_id,
        source.id,
        source.ticket__id as ticket_id,
        source.customer__id as customer_id,
        source.customer__internal_id as customer_internal_id,
        -- texts
        nullif(source.pin, '') as pin,
        nullif(source.carrier, '') as carrier,
        nullif(source.status, '') as status,
        source.ticket__ticket_ref as ticket_ref,
        source.ticket__ticket_no as ticket_no,
        source.customer__name as customer_name,
        source.customer__email as customer_email,
        source.customer__mobile as customer_mobile,
        source.customer__phone as customer_phone,
        source.customer__company as customer_company,
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
        -- state of the row
        source._seen_at as seen_at,
        source._deleted_at as deleted_at,
        source._unreadable as unreadable
    from source
    left join shops on shops.shop_id = source.shop_id
)

select * from renamed
