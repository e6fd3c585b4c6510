-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from {{ source('raw', 'payments') }}
),

shops as (
    select shop_id, timezone from {{ source('ops', 'shops') }}
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
        cast(source.amount as {{ money() }}) as amount,
        -- flags
        source.is_advance,
        -- times
        {{ moment('source.date', 'paid') }},
        -- state of the row
        source._seen_at as seen_at,
        source._deleted_at as deleted_at,
        source._unreadable as unreadable
    from source
    left join shops on shops.shop_id = source.shop_id
)

select * from renamed
