-- path: models/marts/daily_sales.sql
-- kind: table
-- schema: marts
-- table: daily_sales
-- tests: grain_daily_sales_shop_id__day

select
    shop_id,
    day,
    cast(sum(coalesce(total, 0)) as decimal(28, 4)) as total,
    cast(sum(coalesce(gross, 0)) as decimal(28, 4)) as gross,
    cast(sum(coalesce(tax, 0)) as decimal(28, 4)) as tax,
    cast(sum(coalesce(net, gross, 0)) as decimal(28, 4)) as net,
    cast(sum(case when effect = 'return' then coalesce(total, 0) else 0 end) as decimal(28, 4)) as returns,
    cast(sum(case when document_type = 'ticket_invoice' then coalesce(total, 0) else 0 end) as decimal(28, 4)) as ticket_total,
    cast(sum(case when document_type = 'pos_order' then coalesce(total, 0) else 0 end) as decimal(28, 4)) as pos_total,
    cast(sum(case when effect = 'ticket_invoice' then documents else 0 end) as bigint) as ticket_invoice_count,
    cast(sum(case when effect = 'pos_order' then documents else 0 end) as bigint) as pos_order_count,
    cast(sum(case when effect = 'return' then documents else 0 end) as bigint) as return_count,
    cast(sum(coalesce(cost, 0)) as decimal(28, 4)) as cost,
    cast(sum(coalesce(margin, 0)) as decimal(28, 4)) as margin,
    cast(sum(uncosted) as decimal(28, 4)) as uncosted
from "intermediate"."int_sales_effects"
group by 1, 2
