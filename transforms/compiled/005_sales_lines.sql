-- path: models/marts/sales_lines.sql
-- kind: view
-- schema: marts
-- table: sales_lines
-- tests: grain_sales_lines_shop_id__effect_key__position

-- A view of the priced lines with the product that each means.

select
    lines.shop_id,
    case
        when lines.return_position is null then concat(lines.document_type, ':', lines.document_id)
        else concat(lines.document_type, ':', lines.document_id, ':return:', lines.return_position)
    end as effect_key,
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
    cast(lines.total - coalesce(lines.tax, 0) as decimal(28, 4)) as net,
    lines.cost,
    cast(lines.total - coalesce(lines.tax, 0) - lines.cost as decimal(28, 4)) as margin
from "intermediate"."int_priced_lines" as lines
left join "intermediate"."int_named_products" as products
    on products.shop_id = lines.shop_id
    and products.called = lines.product_called
