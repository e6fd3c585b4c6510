-- path: models/marts/suppliers.sql
-- kind: table
-- schema: marts
-- table: suppliers
-- tests: grain_suppliers_shop_id__id

with ordered as (
    select
        shop_id, supplier_id,
        count(*) as orders,
        sum(case when is_open then 1 else 0 end) as open_orders,
        sum(case when is_open then total else 0 end) as open_total,
        sum(case when is_open then 0 else total end) as received_total,
        cast(
        cast(floor(0.5 + percentile_cont(0.5) within group (
            order by cast(lead_days * 10000 as double precision)
        )) as bigint) * 0.0001 as decimal(28, 4)
    ) as median_lead_days,
        max(lead_days) as longest_lead_days,
        sum(case when is_late then 1 else 0 end) as late_orders,
        max(created_day) as last_order_day
    from "marts"."purchases"
    where supplier_id is not null
    group by 1, 2
),

stocked as (
    select shop_id, supplier_id, count(*) as products, sum(stock_value) as stock_value
    from "marts"."products"
    where supplier_id is not null
    group by 1, 2
)

select
    suppliers.shop_id,
    suppliers.id,
    suppliers.company,
    suppliers.status,
    suppliers.country_code,
    cast(coalesce(ordered.orders, 0) as bigint) as orders,
    cast(coalesce(ordered.open_orders, 0) as bigint) as open_orders,
    cast(coalesce(ordered.open_total, 0) as decimal(28, 4)) as open_total,
    cast(coalesce(ordered.received_total, 0) as decimal(28, 4)) as received_total,
    cast(ordered.median_lead_days as decimal(28, 4)) as median_lead_days,
    cast(ordered.longest_lead_days as bigint) as longest_lead_days,
    cast(coalesce(ordered.late_orders, 0) as bigint) as late_orders,
    ordered.last_order_day,
    cast(coalesce(stocked.products, 0) as bigint) as products,
    cast(coalesce(stocked.stock_value, 0) as decimal(28, 4)) as stock_value
from "staging"."suppliers" as suppliers
left join ordered on ordered.shop_id = suppliers.shop_id and ordered.supplier_id = suppliers.id
left join stocked on stocked.shop_id = suppliers.shop_id and stocked.supplier_id = suppliers.id
where suppliers.deleted_at is null
