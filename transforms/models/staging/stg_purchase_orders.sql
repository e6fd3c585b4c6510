-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from {{ source('raw', 'purchase_orders') }}
),

shops as (
    select shop_id, timezone from {{ source('ops', 'shops') }}
),

renamed as (
    select
        -- ids
        source.shop_id,
        source.id,
        source.supplier__id as supplier_id,
        -- texts
        nullif(source.number, '') as number,
        nullif(source.status, '') as status,
        nullif(source.notes, '') as notes,
        source.supplier__company as supplier_company,
        -- numbers
        cast(source.cost as {{ money() }}) as cost,
        cast(source.shipping_cost as {{ money() }}) as shipping_cost,
        cast(source.tax_total as {{ money() }}) as tax_total,
        -- times
        {{ moment('source.created_date', 'created') }},
        {{ moment('source.received_date', 'received') }},
        {{ moment('source.expected_date', 'expected') }},
        {{ moment('source.last_updated', 'last_updated') }},
        -- state of the row
        source._seen_at as seen_at,
        source._deleted_at as deleted_at,
        source._unreadable as unreadable
    from source
    left join shops on shops.shop_id = source.shop_id
)

select * from renamed
