-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from {{ source('raw', 'tickets__payments') }}
),

shops as (
    select shop_id, timezone from {{ source('ops', 'shops') }}
),

renamed as (
    select
        -- ids
        source.shop_id,
        source._dlt_id as row_key,
        source.parent_id as ticket_id,
        source._dlt_list_idx as position,
        source.id,
        nullif(source.payment_id, '') as payment_id,
        source.payment_method__id as payment_method_id,
        -- texts
        nullif(source.payment_note, '') as payment_note,
        source.payment_method__title as payment_method_title,
        -- numbers
        cast(source.amount as {{ money() }}) as amount,
        -- flags
        source.is_advance,
        -- times
        {{ moment('source.date', 'paid') }},
        -- state of the row
        source._unreadable as unreadable
    from source
    left join shops on shops.shop_id = source.shop_id
)

select * from renamed
