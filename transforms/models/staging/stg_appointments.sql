-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from {{ source('raw', 'appointments') }}
),

shops as (
    select shop_id, timezone from {{ source('ops', 'shops') }}
),

renamed as (
    select
        -- ids
        source.shop_id,
        source.id,
        source.ticket__id as ticket_id,
        source.customer__id as customer_id,
        source.customer__internal_id as customer_internal_id,
        source.lead__id as lead_id,
        -- texts
        nullif(source.subject, '') as subject,
        nullif(source.description, '') as description,
        nullif(source.type, '') as type,
        nullif(source.color, '') as color,
        nullif(source.location, '') as location,
        nullif(source.latitude, '') as latitude,
        nullif(source.longitude, '') as longitude,
        nullif(source.status, '') as status,
        source.ticket__ticket_ref as ticket_ref,
        source.ticket__ticket_no as ticket_no,
        source.customer__name as customer_name,
        source.customer__email as customer_email,
        source.customer__mobile as customer_mobile,
        source.customer__phone as customer_phone,
        source.customer__company as customer_company,
        source.lead__name as lead_name,
        -- numbers
        cast(source.duration as {{ money() }}) as duration,
        -- times
        {{ moment('source.start_date', 'start') }},
        {{ moment('source.end_date', 'end') }},
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
