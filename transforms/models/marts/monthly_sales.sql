select
    shop_id,
    {{ month_of('day') }} as month,
    cast(sum(total) as {{ money() }}) as total,
    cast(sum(gross) as {{ money() }}) as gross,
    cast(sum(tax) as {{ money() }}) as tax,
    cast(sum(net) as {{ money() }}) as net,
    cast(sum(returns) as {{ money() }}) as returns,
    cast(sum(ticket_total) as {{ money() }}) as ticket_total,
    cast(sum(pos_total) as {{ money() }}) as pos_total,
    cast(sum(ticket_invoice_count) as bigint) as ticket_invoice_count,
    cast(sum(pos_order_count) as bigint) as pos_order_count,
    cast(sum(return_count) as bigint) as return_count,
    cast(sum(cost) as {{ money() }}) as cost,
    cast(sum(margin) as {{ money() }}) as margin,
    cast(sum(uncosted) as {{ money() }}) as uncosted
from {{ ref('daily_sales') }}
group by 1, 2
