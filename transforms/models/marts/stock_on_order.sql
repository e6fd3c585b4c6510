select
    orders.shop_id,
    coalesce(lines.product_code, lines.product_id, lines.product, 'unknown') as product_key,
    max(lines.product_id) as product_id,
    max(lines.product) as product,
    cast(sum(coalesce(lines.quantity, 0)) as {{ money() }}) as quantity,
    cast(sum(coalesce(lines.total, 0)) as {{ money() }}) as amount,
    cast(count(distinct orders.id) as bigint) as orders,
    min(orders.created_day) as first_ordered_day,
    min(orders.expected_day) as first_expected_day,
    cast(count(distinct case when orders.is_late then orders.id end) as bigint) as late_orders
from {{ ref('purchases') }} as orders
inner join {{ ref('purchase_lines') }} as lines on lines.shop_id = orders.shop_id and lines.purchase_id = orders.id
where orders.is_open
group by 1, 2
