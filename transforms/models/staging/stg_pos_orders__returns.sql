-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from {{ source('raw', 'pos_orders__returns') }}
),

shops as (
    select shop_id, timezone from {{ source('ops', 'shops') }}
),

renamed as (
    select
        -- ids
        source.shop_id,
        source._dlt_id as row_key,
        source.parent_id as order_id,
        source._dlt_list_idx as position,
        source.id,
        -- texts
        nullif(source.number, '') as number,
        nullif(source.reason, '') as reason,
        -- numbers
        cast(source.amount as {{ money() }}) as amount,
        -- times
        {{ moment('source.created_date', 'created') }},
        -- state of the row
        source._unreadable as unreadable
    from source
    left join shops on shops.shop_id = source.shop_id
)

select * from renamed
