with ordered as (
    select
        shop_id, supplier_id,
        count(*) as orders,
        sum(case when is_open then 1 else 0 end) as open_orders,
        sum(case when is_open then total else 0 end) as open_total,
        sum(case when is_open then 0 else total end) as received_total,
        {{ median('lead_days') }} as median_lead_days,
        max(lead_days) as longest_lead_days,
        sum(case when is_late then 1 else 0 end) as late_orders,
        max(created_day) as last_order_day
    from {{ ref('purchases') }}
    where supplier_id is not null
    group by 1, 2
),

stocked as (
    select shop_id, supplier_id, count(*) as products, sum(stock_value) as stock_value
    from {{ ref('products') }}
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
    cast(coalesce(ordered.open_total, 0) as {{ money() }}) as open_total,
    cast(coalesce(ordered.received_total, 0) as {{ money() }}) as received_total,
    cast(ordered.median_lead_days as {{ money() }}) as median_lead_days,
    cast(ordered.longest_lead_days as bigint) as longest_lead_days,
    cast(coalesce(ordered.late_orders, 0) as bigint) as late_orders,
    ordered.last_order_day,
    cast(coalesce(stocked.products, 0) as bigint) as products,
    cast(coalesce(stocked.stock_value, 0) as {{ money() }}) as stock_value
from {{ ref('stg_suppliers') }} as suppliers
left join ordered on ordered.shop_id = suppliers.shop_id and ordered.supplier_id = suppliers.id
left join stocked on stocked.shop_id = suppliers.shop_id and stocked.supplier_id = suppliers.id
where suppliers.deleted_at is null
