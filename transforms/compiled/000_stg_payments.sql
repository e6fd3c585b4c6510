-- path: models/staging/stg_payments.sql
-- kind: view
-- schema: staging
-- table: payments

-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from "raw"."payments"
),

shops as (
    select shop_id, timezone from "ops"."shops"
),

renamed as (
    select
        -- ids
        source.shop_id,
        source.id,
        nullif(source.payment_id, '') as payment_id,
        source.payment_method__id as payment_method_id,
        source.invoice__id as invoice_id,
        source.pos__id as pos_id,
        source.return__id as return_id,
        -- texts
        nullif(source.payment_note, '') as payment_note,
        nullif(source.kind, '') as kind,
        source.payment_method__title as payment_method_title,
        source.invoice__number as invoice_number,
        source.pos__number as pos_number,
        source.return__number as return_number,
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
        source._seen_at as seen_at,
        source._deleted_at as deleted_at,
        source._unreadable as unreadable
    from source
    left join shops on shops.shop_id = source.shop_id
)

select * from renamed
