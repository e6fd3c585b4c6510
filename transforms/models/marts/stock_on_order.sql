with products as (
    select
        shop_id, id, code, name,
        row_number() over (
            partition by shop_id, code
            order by case when deleted_at is null then 0 else 1 end, id
        ) as place
    from {{ ref('stg_products') }}
    where code is not null
)

select
    orders.shop_id,
    coalesce(lines.product_code, lines.item_description, 'unknown') as product_key,
    max(products.id) as product_id,
    max(coalesce(products.name, lines.item_description)) as product,
    cast(sum(coalesce(lines.quantity, 0)) as {{ money() }}) as quantity,
    cast(sum(coalesce(lines.total, {{ product_of('lines.quantity', 'coalesce(lines.unit_price, lines.cost)') }}, 0)) as {{ money() }})
        as amount,
    cast(count(distinct orders.id) as bigint) as orders,
    min(orders.created_day) as first_ordered_day,
    min(orders.expected_day) as first_expected_day,
    cast(count(distinct case when orders.is_late then orders.id end) as bigint) as late_orders
from {{ ref('purchases') }} as orders
inner join {{ ref('stg_purchase_orders__lines') }} as lines
    on lines.shop_id = orders.shop_id and lines.purchase_order_id = orders.id
left join products
    on products.shop_id = lines.shop_id and products.code = lines.product_code and products.place = 1
where orders.is_open
group by 1, 2
