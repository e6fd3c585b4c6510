-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from {{ source('raw', 'ticket_timers') }}
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
        source.user__id as user_id,
        -- texts
        nullif(source.notes, '') as notes,
        source.ticket__ticket_ref as ticket_ref,
        source.ticket__ticket_no as ticket_no,
        source.user__first_name as user_first_name,
        source.user__last_name as user_last_name,
        source.user__email as user_email,
        -- times
        {{ moment('source.start_date', 'start') }},
        {{ moment('source.end_date', 'end') }},
        {{ moment('source.created_date', 'created') }},
        -- state of the row
        source._seen_at as seen_at,
        source._deleted_at as deleted_at,
        source._unreadable as unreadable
    from source
    left join shops on shops.shop_id = source.shop_id
)

select * from renamed
