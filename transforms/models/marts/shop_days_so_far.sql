-- The same as shop_days, of each day only what had happened by the time of day of this build. A view:
-- a report of a running day asks it for the few days that it is compared with.
{{ config(materialized='view') }}
with {{ day_figures(until_now=true) }}

select
    calendar.shop_id,
    calendar.day,
    shops.minute_now as until_minute,
    {{- day_columns() }}
from {{ ref('calendar') }} as calendar
inner join shops on shops.shop_id = calendar.shop_id
{{- day_joins() }}
where calendar.day <= shops.today
