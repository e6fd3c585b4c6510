-- A view: what counts as a sale by its lines, on the day on which their document counts. What none of
-- the lines says stands for itself, so that the sum is that of the documents.
{{ config(materialized='view') }}
{% set of_lines = ['sales.shop_id', 'sales.counted_day', 'sales.happened_at', 'sales.effect', 'sales.document_type',
    'sales.document_id', 'sales.document_number', 'sales.customer_name'] | join(',\n    ') -%}
{%- set is_net = "definitions.sales_amount_basis in ('net', 'net_rounded')" -%}
with definitions as (
    select shop_id, sales_amount_basis from {{ ref('int_shop_definitions') }}
),

sums as (
    select
        lines.shop_id,
        {{ effect_key('document_type', 'document_id', 'return_position') }} as effect_key,
        case when {{ is_net }} then total - coalesce(tax, 0) else total end as amount,
        margin
    from {{ ref('int_line_sums') }} as lines
    inner join definitions on definitions.shop_id = lines.shop_id
)

select
    {{ of_lines }},
    cast(case when {{ is_net }} then lines.net else lines.total end as {{ money() }}) as counted_amount,
    lines.position,
    coalesce(lines.product, lines.item_description) as product,
    lines.category,
    lines.quantity,
    lines.margin
from {{ ref('sales_lines') }} as lines
inner join definitions on definitions.shop_id = lines.shop_id
inner join {{ ref('counted_sales') }} as sales
    on sales.shop_id = lines.shop_id and sales.effect_key = lines.effect_key
union all
select
    {{ of_lines }},
    cast(sales.counted_amount - coalesce(sums.amount, 0) as {{ money() }}) as counted_amount,
    null as position,
    null as product,
    null as category,
    null as quantity,
    cast(sales.margin - coalesce(sums.margin, 0) as {{ money() }}) as margin
from {{ ref('counted_sales') }} as sales
left join sums on sums.shop_id = sales.shop_id and sums.effect_key = sales.effect_key
where sales.counted_amount <> coalesce(sums.amount, 0) or sales.margin <> coalesce(sums.margin, 0)
