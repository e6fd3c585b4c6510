-- path: models/staging/stg_pos_orders__payments.sql
-- kind: view
-- schema: staging
-- table: pos_orders__payments

-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from "raw"."pos_orders__payments"
),

shops as (
    select shop_id, timezone from "ops"."shops"
),

renamed as (
    select
        -- ids
        source.shop_id,
        source._dlt_id as row_key,
        source.parent_id as order_id,
        source._dlt_list_idx as position,
        source.id,
        nullif(source.payment_id, '') as payment_id,
        source.payment_method__id as payment_method_id,
        -- texts
        nullif(source.payment_note, '') as payment_note,
        source.payment_method__title as payment_method_title,
        -- numbers
        cast(source.amount as decimal(28, 4)) as amount,
        -- flags
        source.is_advance,
        -- times
        case
            when case when source.date like '__________T________-__:__' or source.date like '__________T________+__:__' then true
            else source.date like '%T%+__:__' or source.date like '%T%-__:__' or source.date like '%T%Z' end then try_cast(source.date as timestamp with time zone)
            else case when coalesce(shops.timezone, 'UTC') = cast(getvariable('usual_zone') as varchar) then try_cast(source.date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.date as timestamp) at time zone coalesce(shops.timezone, 'UTC') end
        end as paid_at,
        case
            when case when source.date like '__________T________-__:__' or source.date like '__________T________+__:__' then true
            else source.date like '%T%+__:__' or source.date like '%T%-__:__' or source.date like '%T%Z' end
                then cast(case when coalesce(shops.timezone, 'UTC') = cast(getvariable('usual_zone') as varchar) then try_cast(source.date as timestamp with time zone) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.date as timestamp with time zone) at time zone coalesce(shops.timezone, 'UTC') end as date)
            else try_cast(substr(source.date, 1, 10) as date)
        end as paid_day,
        -- state of the row
        source._unreadable as unreadable
    from source
    left join shops on shops.shop_id = source.shop_id
)

select * from renamed
