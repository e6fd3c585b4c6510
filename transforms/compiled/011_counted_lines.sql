-- path: models/marts/counted_lines.sql
-- kind: view
-- schema: marts
-- table: counted_lines

-- A view: the lines of what counts as a sale, on the day on which their document counts.

select
    sales.shop_id,
    sales.counted_day,
    sales.happened_at,
    lines.total as counted_amount,
    sales.effect,
    sales.document_type,
    sales.document_id,
    sales.document_number,
    sales.customer_name,
    lines.position,
    coalesce(lines.product, lines.item_description) as product,
    lines.category,
    lines.quantity,
    lines.margin
from "marts"."sales_lines" as lines
inner join "marts"."counted_sales" as sales
    on sales.shop_id = lines.shop_id and sales.effect_key = lines.effect_key
