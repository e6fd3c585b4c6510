-- Every shop that has rows, configured or not, with its calendar and its day of today.
-- A table: finding the shops reads seven lists, and a dozen models ask for them.
{{ config(materialized='table') }}
with known as (
    select shop_id from {{ source('ops', 'shops') }}
    {% for list in ['ticket_invoices', 'pos_orders', 'tickets', 'purchase_orders', 'expenses', 'payments'] -%}
    union
    select shop_id from {{ ref('stg_' ~ list) }}
    {% endfor -%}
)

select
    known.shop_id,
    {{ shop_zone() }} as timezone,
    coalesce(shops.currency, '') as currency,
    lower(replace(coalesce(shops.closed_weekdays, ''), ' ', '')) as closed_weekdays,
    replace(coalesce(shops.closed_days, ''), ' ', '') as closed_days,
    coalesce(shops.opening_hours, '') as opening_hours,
    coalesce(shops.shop_accounts, '') as shop_accounts,
    coalesce(shops.today_by, 'invoice') as today_by,
    {{ local_date(instant_of_wall_clock(build_moment(), "'UTC'"), shop_zone()) }} as today,
    {{ build_moment() }} as built_at
from known
left join {{ source('ops', 'shops') }} as shops on shops.shop_id = known.shop_id
