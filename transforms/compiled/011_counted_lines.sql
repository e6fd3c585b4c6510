-- path: models/marts/counted_lines.sql
-- kind: view
-- schema: marts
-- table: counted_lines

-- A view: what counts as a sale by its lines, on the day on which their document counts. What none of
-- the lines says stands for itself, so that the sum is that of the documents.

with definitions as (
    select shop_id, sales_amount_basis from "intermediate"."int_shop_definitions"
),

sums as (
    select
        lines.shop_id,
        case
        when return_position is null then concat(document_type, ':', document_id)
        else concat(document_type, ':', document_id, ':return:', return_position)
    end as effect_key,
        case when definitions.sales_amount_basis in ('net', 'net_rounded') then total - coalesce(tax, 0) else total end as amount,
        margin
    from "intermediate"."int_line_sums" as lines
    inner join definitions on definitions.shop_id = lines.shop_id
)

select
    sales.shop_id,
    sales.counted_day,
    sales.happened_at,
    sales.effect,
    sales.document_type,
    sales.document_id,
    sales.document_number,
    sales.customer_name,
    cast(case when definitions.sales_amount_basis in ('net', 'net_rounded') then lines.net else lines.total end as decimal(28, 4)) as counted_amount,
    lines.position,
    coalesce(lines.product, lines.item_description) as product,
    lines.category,
    lines.quantity,
    lines.margin
from "marts"."sales_lines" as lines
inner join definitions on definitions.shop_id = lines.shop_id
inner join "marts"."counted_sales" as sales
    on sales.shop_id = lines.shop_id and sales.effect_key = lines.effect_key
union all
select
    sales.shop_id,
    sales.counted_day,
    sales.happened_at,
    sales.effect,
    sales.document_type,
    sales.document_id,
    sales.document_number,
    sales.customer_name,
    cast(sales.counted_amount - coalesce(sums.amount, 0) as decimal(28, 4)) as counted_amount,
    null as position,
    null as product,
    null as category,
    null as quantity,
    cast(sales.margin - coalesce(sums.margin, 0) as decimal(28, 4)) as margin
from "marts"."counted_sales" as sales
left join sums on sums.shop_id = sales.shop_id and sums.effect_key = sales.effect_key
where sales.counted_amount <> coalesce(sums.amount, 0) or sales.margin <> coalesce(sums.margin, 0)
