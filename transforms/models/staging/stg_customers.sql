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
        source.ref,
        source.name,
        source.email,
        source.invoiceemail,
        source.mobile,
        source.phone,
        source.company,
        source.vat_registration_number,
        source.gender,
        source.type,
        source.referred_by,
        source.account_manager,
        source.comments,
        source.country_code,
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
