-- path: models/staging/stg_customers.sql
-- kind: view
-- schema: staging
-- table: customers

-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from "raw"."customers"
),

shops as (
    select shop_id, timezone from "ops"."shops"
),

renamed as (
    select
        -- ids
        source.shop_id,
        source.id,
        source.group__id as group_id,
        -- texts
        nullif(source.ref, '') as ref,
        nullif(source.name, '') as name,
        nullif(source.email, '') as email,
        nullif(source.invoiceemail, '') as invoiceemail,
        nullif(source.mobile, '') as mobile,
        nullif(source.phone, '') as phone,
        nullif(source.company, '') as company,
        nullif(source.vat_registration_number, '') as vat_registration_number,
        nullif(source.gender, '') as gender,
        nullif(source.type, '') as type,
        nullif(source.referred_by, '') as referred_by,
        nullif(source.account_manager, '') as account_manager,
        nullif(source.comments, '') as comments,
        nullif(source.country_code, '') as country_code,
        source.name_parts__first_name as first_name,
        source.name_parts__middle_name as middle_name,
        source.name_parts__last_name as last_name,
        source.fulladdress__address as address,
        source.fulladdress__city as city,
        source.fulladdress__post_code as post_code,
        source.fulladdress__country as country,
        source.group__name as group_name,
        -- numbers
        cast(source.payment_term_days as decimal(28, 4)) as payment_term_days,
        cast(source.credit_limit as decimal(28, 4)) as credit_limit,
        -- flags
        source.gdpr_compliant as is_gdpr_compliant,
        source.sub_sms_service as has_sms_consent,
        source.sub_print_media as has_print_consent,
        source.sub_email_marketing as has_email_marketing_consent,
        source.sub_email_notifications as has_email_notifications_consent,
        source.intra_community as is_intra_community,
        source.vat_exemption as is_vat_exempt,
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
            when case when source.date_of_birth like '__________T________-__:__' or source.date_of_birth like '__________T________+__:__' then true
            else source.date_of_birth like '%T%+__:__' or source.date_of_birth like '%T%-__:__' or source.date_of_birth like '%T%Z' end then try_cast(source.date_of_birth as timestamp with time zone)
            else case when coalesce(shops.timezone, 'UTC') = cast(getvariable('usual_zone') as varchar) then try_cast(source.date_of_birth as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.date_of_birth as timestamp) at time zone coalesce(shops.timezone, 'UTC') end
        end as birth_at,
        case
            when case when source.date_of_birth like '__________T________-__:__' or source.date_of_birth like '__________T________+__:__' then true
            else source.date_of_birth like '%T%+__:__' or source.date_of_birth like '%T%-__:__' or source.date_of_birth like '%T%Z' end
                then cast(case when coalesce(shops.timezone, 'UTC') = cast(getvariable('usual_zone') as varchar) then try_cast(source.date_of_birth as timestamp with time zone) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.date_of_birth as timestamp with time zone) at time zone coalesce(shops.timezone, 'UTC') end as date)
            else try_cast(substr(source.date_of_birth, 1, 10) as date)
        end as birth_day,
        -- state of the row
        source._seen_at as seen_at,
        source._deleted_at as deleted_at,
        source._unreadable as unreadable
    from source
    left join shops on shops.shop_id = source.shop_id
)

select * from renamed
