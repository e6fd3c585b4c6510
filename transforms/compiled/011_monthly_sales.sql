-- path: models/marts/monthly_sales.sql
-- kind: table
-- schema: marts
-- table: monthly_sales
-- tests: grain_monthly_sales_shop_id__month

select
    shop_id,
    cast(date_trunc('month', day) as date) as month,
    cast(sum(total) as decimal(28, 4)) as total,
    cast(sum(gross) as decimal(28, 4)) as gross,
    cast(sum(tax) as decimal(28, 4)) as tax,
    cast(sum(net) as decimal(28, 4)) as net,
    cast(sum(returns) as decimal(28, 4)) as returns,
    cast(sum(ticket_total) as decimal(28, 4)) as ticket_total,
    cast(sum(pos_total) as decimal(28, 4)) as pos_total,
    cast(sum(ticket_invoice_count) as bigint) as ticket_invoice_count,
    cast(sum(pos_order_count) as bigint) as pos_order_count,
    cast(sum(return_count) as bigint) as return_count,
    cast(sum(cost) as decimal(28, 4)) as cost,
    cast(sum(margin) as decimal(28, 4)) as margin,
    cast(sum(uncosted) as decimal(28, 4)) as uncosted
    from "marts"."daily_sales"
group by 1, 2
