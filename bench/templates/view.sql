[% set groups = level.columns() %]
[% set moments = groups.pop("moments", {}) %]
-- [[ note ]]
with source as (
    select * from {{ source('raw', '[[ level.table ]]') }}
),

[% if moments %]
shops as (
    select shop_id, timezone from {{ source('ops', 'shops') }}
),

[% endif %]
renamed as (
    select
        -- ids
        source.shop_id,
[% if level.parent %]
        source._dlt_id as row_key,
        source.parent_id as [[ level.parent ]],
[% if level.above %]
        source._dlt_parent_id as [[ level.above ]],
[% endif %]
        source._dlt_list_idx as position,
[% else %]
        source.id,
[% endif %]
[% for group, named in groups.items() %]
[% if group != "ids" %]
        -- [[ group ]]
[% endif %]
[% for column, name in named.items() %]
[% if group == "numbers" %]
        cast(source.[[ column ]] as {{ money() }}) as [[ name ]],
[# An empty text says nothing; of a reference it is null in raw already. #]
[% elif group in ("ids", "texts") and column != "id" and "__" not in column %]
        nullif(source.[[ column ]], '') as [[ name ]],
[% else %]
        source.[[ column ]][[ " as " ~ name if name != column ]],
[% endif %]
[% endfor %]
[% endfor %]
[% if moments %]
        -- times
[% endif %]
[% for column, name in moments.items() %]
        {{ moment('source.[[ column ]]', '[[ name ]]') }},
[% endfor %]
        -- state of the row
[% if not level.parent %]
        source._seen_at as seen_at,
        source._deleted_at as deleted_at,
[% endif %]
        source._unreadable as unreadable
    from source
[% if moments %]
    left join shops on shops.shop_id = source.shop_id
[% endif %]
)

select * from renamed
