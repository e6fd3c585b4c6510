-- What is added up of sold products by month. A table: products are made of it, too.
{% set key = {'shop_id': 'shop_id', 'month': 'month'} %}
{{ config(materialized='table', meta=replaced_by('int_changed_days', key)) }}
with lines as (
    select *, {{ month_of('day') }} as month from {{ ref('sales_lines') }} where day is not null
)

select
    shop_id,
    month,
    product_id,
    coalesce(product_id, product_code, item_description, 'unknown') as product_key,
    max(coalesce(product, item_description)) as product,
    max(coalesce(category, 'none')) as category,
    max(coalesce(product_type, 'unknown')) as product_type,
    cast(sum(quantity) as {{ money() }}) as quantity,
    cast(sum(total) as {{ money() }}) as revenue,
    cast(sum(tax) as {{ money() }}) as tax,
    cast(sum(net) as {{ money() }}) as net,
    cast(sum(cost) as {{ money() }}) as cost,
    -- The sum of the lines' margins, which DuckDB takes as long to read as all of the above.
    cast(sum(case when cost is not null then net end) - sum(case when net is not null then cost end) as {{ money() }}) as margin,
    cast(sum(case when cost is null then net else 0 end) as {{ money() }}) as uncosted,
    max(case when effect <> 'return' then day end) as last_sold_day
from lines
where {{ is_changed('int_changed_days', 'lines', key) }}
group by 1, 2, 3, 4
