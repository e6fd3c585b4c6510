-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from {{ source('raw', 'customers') }}
),

shops as (
    select shop_id, timezone from {{ source('ops', 'shops') }}
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
        cast(source.payment_term_days as {{ money() }}) as payment_term_days,
        cast(source.credit_limit as {{ money() }}) as credit_limit,
        -- flags
        source.gdpr_compliant as is_gdpr_compliant,
        source.sub_sms_service as has_sms_consent,
        source.sub_print_media as has_print_consent,
        source.sub_email_marketing as has_email_marketing_consent,
        source.sub_email_notifications as has_email_notifications_consent,
        source.intra_community as is_intra_community,
        source.vat_exemption as is_vat_exempt,
        -- times
        {{ moment('source.created_date', 'created') }},
        {{ moment('source.last_updated', 'last_updated') }},
        {{ moment('source.date_of_birth', 'birth') }},
        -- state of the row
        source._seen_at as seen_at,
        source._deleted_at as deleted_at,
        source._unreadable as unreadable
    from source
    left join shops on shops.shop_id = source.shop_id
)

select * from renamed
