-- path: models/intermediate/int_shops.sql
-- kind: table
-- schema: intermediate
-- table: int_shops

-- Every shop that has rows, configured or not, with its calendar and its day of today.
-- A table: finding the shops reads seven lists, and a dozen models ask for them.

with known as (
    select shop_id from "ops"."shops"
    union
    select shop_id from "staging"."ticket_invoices"
    union
    select shop_id from "staging"."pos_orders"
    union
    select shop_id from "staging"."tickets"
    union
    select shop_id from "staging"."purchase_orders"
    union
    select shop_id from "staging"."expenses"
    union
    select shop_id from "staging"."payments"
    )

select
    known.shop_id,
    coalesce(shops.timezone, 'UTC') as timezone,
    coalesce(shops.currency, '') as currency,
    lower(replace(coalesce(shops.closed_weekdays, ''), ' ', '')) as closed_weekdays,
    replace(coalesce(shops.closed_days, ''), ' ', '') as closed_days,
    coalesce(shops.opening_hours, '') as opening_hours,
    coalesce(shops.shop_accounts, '') as shop_accounts,
    coalesce(shops.today_by, 'invoice') as today_by,
    cast(case when coalesce(shops.timezone, 'UTC') = cast(getvariable('usual_zone') as varchar) then case when 'UTC' = cast(getvariable('usual_zone') as varchar) then cast($build_moment as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else cast($build_moment as timestamp) at time zone 'UTC' end at time zone cast(getvariable('usual_zone') as varchar) else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then cast($build_moment as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else cast($build_moment as timestamp) at time zone 'UTC' end at time zone coalesce(shops.timezone, 'UTC') end as date) as today,
    cast($build_moment as timestamp) as built_at
from known
left join "ops"."shops" as shops on shops.shop_id = known.shop_id
