-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from {{ source('raw', 'leads') }}
),

shops as (
    select shop_id, timezone from {{ source('ops', 'shops') }}
),

renamed as (
    select
        -- ids
        source.shop_id,
        source.id,
        source.issue_type__id as issue_type_id,
        source.ticket__id as ticket_id,
        source.customer__id as customer_id,
        source.customer__internal_id as customer_internal_id,
        source.user__id as user_id,
        -- texts
        nullif(source.name, '') as name,
        nullif(source.business_name, '') as business_name,
        nullif(source.telephone, '') as telephone,
        nullif(source.mobile, '') as mobile,
        nullif(source.email, '') as email,
        nullif(source.address, '') as address,
        nullif(source.subject, '') as subject,
        nullif(source.description, '') as description,
        nullif(source.referred_by, '') as referred_by,
        nullif(source.status, '') as status,
        nullif(source.country_code, '') as country_code,
        source.issue_type__label as issue_type_label,
        source.ticket__ticket_ref as ticket_ref,
        source.ticket__ticket_no as ticket_no,
        source.customer__name as customer_name,
        source.customer__email as customer_email,
        source.customer__mobile as customer_mobile,
        source.customer__phone as customer_phone,
        source.customer__company as customer_company,
        source.user__first_name as user_first_name,
        source.user__last_name as user_last_name,
        source.user__email as user_email,
        -- flags
        source.gdpr_compliant as is_gdpr_compliant,
        -- times
        {{ moment('source.created_date', 'created') }},
        {{ moment('source.last_updated', 'last_updated') }},
        -- state of the row
        source._seen_at as seen_at,
        source._deleted_at as deleted_at,
        source._unreadable as unreadable
    from source
    left join shops on shops.shop_id = source.shop_id
)

select * from renamed
