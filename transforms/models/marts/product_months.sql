with lines as (
    select
        *,
        {{ month_of('day') }} as month,
        coalesce(product_id, product_code, item_description, 'unknown') as product_key
    from {{ ref('sales_lines') }}
    where day is not null
)

select
    shop_id,
    month,
    product_key,
    max(coalesce(product, item_description)) as product,
    max(coalesce(category, 'none')) as category,
    max(coalesce(product_type, 'unknown')) as product_type,
    cast(sum(quantity) as {{ money() }}) as quantity,
    cast(sum(total) as {{ money() }}) as revenue,
    cast(sum(tax) as {{ money() }}) as tax,
    cast(sum(net) as {{ money() }}) as net,
    cast(sum(cost) as {{ money() }}) as cost,
    cast(sum(margin) as {{ money() }}) as margin,
    cast(sum(case when cost is null then net else 0 end) as {{ money() }}) as uncosted
from lines
group by 1, 2, 3
