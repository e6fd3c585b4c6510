-- path: models/staging/stg_ticket_invoices__returns.sql
-- kind: view
-- schema: staging
-- table: ticket_invoices__returns

-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from "raw"."ticket_invoices__returns"
),

shops as (
    select shop_id, timezone from "ops"."shops"
),

renamed as (
    select
        -- ids
        source.shop_id,
        source._dlt_id as row_key,
        source.parent_id as invoice_id,
        source._dlt_list_idx as position,
        source.id,
        -- texts
        nullif(source.number, '') as number,
        nullif(source.reason, '') as reason,
        -- numbers
        cast(source.amount as decimal(28, 4)) as amount,
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
        source._unreadable as unreadable
    from source
    left join shops on shops.shop_id = source.shop_id
)

select * from renamed
