with lines as (
    select lines.*, {{ product_called('lines') }} as product_called
    from {{ ref('stg_purchase_orders__lines') }} as lines
    {{ named_in('products', 'lines', 'product_id') }}
)

select
    orders.shop_id,
    orders.document_id as purchase_id,
    orders.document_number as purchase_number,
    lines.position,
    orders.supplier_id,
    orders.supplier,
    orders.status,
    orders.created_day,
    orders.received_day,
    lines.product_code,
    products.id as product_id,
    coalesce(products.name, lines.item_description) as product,
    products.category_name as category,
    lines.quantity,
    coalesce(lines.unit_price, lines.cost) as unit_cost,
    lag(coalesce(lines.unit_price, lines.cost)) over (
        partition by orders.shop_id, coalesce(lines.product_code, products.id, lines.item_description)
        order by orders.created_at, length(orders.document_id), orders.document_id, lines.position
    ) as unit_cost_before,
    lines.discount,
    lines.tax,
    coalesce(lines.total, {{ product_of('lines.quantity', 'coalesce(lines.unit_price, lines.cost)') }}) as total
from lines
inner join {{ ref('purchase_documents') }} as orders
    on orders.shop_id = lines.shop_id
    and orders.document_id = lines.purchase_order_id
    and orders.effect = 'purchase_order'
left join {{ ref('int_named_products') }} as products
    on products.shop_id = lines.shop_id
    and products.called = lines.product_called
