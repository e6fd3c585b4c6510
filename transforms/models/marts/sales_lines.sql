-- A view of the priced lines with the product that each means.
{{ config(materialized='view') }}
select
    lines.shop_id,
    {{ effect_key('lines.document_type', 'lines.document_id', 'lines.return_position') }} as effect_key,
    case when lines.is_returned then 'return' else lines.document_type end as effect,
    lines.document_type,
    lines.document_id,
    lines.position,
    lines.day,
    lines.product_code,
    products.id as product_id,
    products.name as product,
    products.category_name as category,
    case when lower(products.type) in ('service', 'services') then 'service'
        when products.id is not null then 'product' end as product_type,
    lines.item_description,
    lines.quantity,
    lines.unit_price,
    lines.discount,
    lines.tax,
    lines.total,
    cast(lines.total - coalesce(lines.tax, 0) as {{ money() }}) as net,
    lines.cost,
    cast(lines.total - coalesce(lines.tax, 0) - lines.cost as {{ money() }}) as margin
from {{ ref('int_priced_lines') }} as lines
left join {{ ref('int_named_products') }} as products
    on products.shop_id = lines.shop_id
    and products.called = lines.product_called
