select
    shop_id,
    {{ month_of('day') }} as month,
    cast(sum(total) as {{ money() }}) as total,
    cast(sum(cost) as {{ money() }}) as cost,
    cast(sum(shipping_cost) as {{ money() }}) as shipping_cost,
    cast(sum(tax) as {{ money() }}) as tax,
    cast(sum(net) as {{ money() }}) as net,
    cast(sum(expenses) as {{ money() }}) as expenses,
    cast(sum(document_count) as bigint) as document_count
from {{ ref('daily_purchases') }}
group by 1, 2
