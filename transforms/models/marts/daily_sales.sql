select
    shop_id,
    day,
    cast(sum(coalesce(total, 0)) as {{ money() }}) as total,
    cast(sum(coalesce(gross, 0)) as {{ money() }}) as gross,
    cast(sum(coalesce(tax, 0)) as {{ money() }}) as tax,
    cast(sum(coalesce(net, gross, 0)) as {{ money() }}) as net,
    cast(sum(case when effect = 'return' then coalesce(total, 0) else 0 end) as {{ money() }}) as returns,
    cast(sum(case when document_type = 'ticket_invoice' then coalesce(total, 0) else 0 end) as {{ money() }}) as ticket_total,
    cast(sum(case when document_type = 'pos_order' then coalesce(total, 0) else 0 end) as {{ money() }}) as pos_total,
    cast(sum(case when effect = 'ticket_invoice' then documents else 0 end) as bigint) as ticket_invoice_count,
    cast(sum(case when effect = 'pos_order' then documents else 0 end) as bigint) as pos_order_count,
    cast(sum(case when effect = 'return' then documents else 0 end) as bigint) as return_count,
    cast(sum(coalesce(cost, 0)) as {{ money() }}) as cost,
    cast(sum(coalesce(margin, 0)) as {{ money() }}) as margin,
    cast(sum(uncosted) as {{ money() }}) as uncosted
from {{ ref('int_sales_effects') }}
group by 1, 2
