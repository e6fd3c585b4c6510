-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from {{ source('raw', 'pos_orders') }}
),

shops as (
    select shop_id, timezone from {{ source('ops', 'shops') }}
),

renamed as (
    select
        -- ids
        source.shop_id,
        source.id,
        source.customer__id as customer_id,
        source.customer__internal_id as customer_internal_id,
        -- texts
        nullif(source.notes, '') as notes,
        nullif(source.number, '') as number,
        nullif(source.status, '') as status,
        source.customer__name as customer_name,
        source.customer__email as customer_email,
        source.customer__mobile as customer_mobile,
        source.customer__phone as customer_phone,
        source.customer__company as customer_company,
        -- numbers
        cast(source.amount_total as {{ money() }}) as amount_total,
        cast(source.tax_total as {{ money() }}) as tax_total,
        cast(source.discount_total as {{ money() }}) as discount_total,
        -- times
        {{ moment('source.created_date', 'created') }},
        {{ moment('source.due_date', 'due') }},
        {{ moment('source.last_updated', 'last_updated') }},
        -- state of the row
        source._seen_at as seen_at,
        source._deleted_at as deleted_at,
        source._unreadable as unreadable
    from source
    left join shops on shops.shop_id = source.shop_id
)

select * from renamed
