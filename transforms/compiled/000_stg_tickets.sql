-- path: models/staging/stg_tickets.sql
-- kind: view
-- schema: staging
-- table: tickets

-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from "raw"."tickets"
),

shops as (
    select shop_id, timezone from "ops"."shops"
),

renamed as (
    select
        -- ids
        source.shop_id,
        source.id,
        source.status__id as status_id,
        source.issue_type__id as issue_type_id,
        source.priority__id as priority_id,
        source.customer__id as customer_id,
        source.customer__internal_id as customer_internal_id,
        source.technician__id as technician_id,
        source.invoice__id as invoice_id,
        -- texts
        nullif(source.ticket_ref, '') as ticket_ref,
        nullif(source.ticket_no, '') as ticket_no,
        nullif(source.short_info, '') as short_info,
        nullif(source.description, '') as description,
        nullif(source.device, '') as device,
        nullif(source.created_from, '') as created_from,
        nullif(source.work_approved, '') as work_approved,
        source.status__label as status_label,
        source.issue_type__label as issue_type_label,
        source.priority__label as priority_label,
        source.customer__name as customer_name,
        source.customer__email as customer_email,
        source.customer__mobile as customer_mobile,
        source.customer__phone as customer_phone,
        source.customer__company as customer_company,
        source.technician__first_name as technician_first_name,
        source.technician__last_name as technician_last_name,
        source.technician__email as technician_email,
        source.invoice__number as invoice_number,
        source.invoice__amount as invoice_amount,
        source.invoice__last_payment_date as invoice_last_payment_date,
        -- numbers
        cast(source.amount_total as decimal(28, 4)) as amount_total,
        cast(source.discount as decimal(28, 4)) as discount,
        cast(source.tax as decimal(28, 4)) as tax,
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
        case
            when case when source.due_date like '__________T________-__:__' or source.due_date like '__________T________+__:__' then true
            else source.due_date like '%T%+__:__' or source.due_date like '%T%-__:__' or source.due_date like '%T%Z' end then try_cast(source.due_date as timestamp with time zone)
            else case when coalesce(shops.timezone, 'UTC') = cast(getvariable('usual_zone') as varchar) then try_cast(source.due_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.due_date as timestamp) at time zone coalesce(shops.timezone, 'UTC') end
        end as due_at,
        case
            when case when source.due_date like '__________T________-__:__' or source.due_date like '__________T________+__:__' then true
            else source.due_date like '%T%+__:__' or source.due_date like '%T%-__:__' or source.due_date like '%T%Z' end
                then cast(case when coalesce(shops.timezone, 'UTC') = cast(getvariable('usual_zone') as varchar) then try_cast(source.due_date as timestamp with time zone) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.due_date as timestamp with time zone) at time zone coalesce(shops.timezone, 'UTC') end as date)
            else try_cast(substr(source.due_date, 1, 10) as date)
        end as due_day,
        -- state of the row
        source._seen_at as seen_at,
        source._deleted_at as deleted_at,
        source._unreadable as unreadable
    from source
    left join shops on shops.shop_id = source.shop_id
)

select * from renamed
