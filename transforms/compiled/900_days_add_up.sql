-- path: tests/days_add_up.sql
-- kind: test

-- Arithmetic: the days are the effects that count, the months are their days, the parts are the
-- whole.
with effects as (
    select shop_id, sum(total) as total, sum(documents) as documents from "intermediate"."int_sales_effects" group by 1
),

days as (
    select
        shop_id,
        sum(total) as total,
        sum(ticket_invoice_count + pos_order_count + return_count) as documents,
        sum(ticket_total + pos_total) as parts,
        sum(gross) as gross,
        sum(tax + net) as tax_and_net
    from "marts"."daily_sales"
    group by 1
),

months as (
    select shop_id, sum(total) as total from "marts"."monthly_sales" group by 1
),

purchase_days as (
    select
        shop_id,
        sum(total) as total,
        sum(cost + shipping_cost) as gross,
        sum(tax + net) as tax_and_net
    from "marts"."daily_purchases"
    group by 1
),

purchase_months as (
    select shop_id, sum(total) as total from "marts"."monthly_purchases" group by 1
)

select days.shop_id, 'sales' as report
from days
left join effects on effects.shop_id = days.shop_id
left join months on months.shop_id = days.shop_id
left join "intermediate"."int_shop_definitions" as definitions on definitions.shop_id = days.shop_id
where coalesce(effects.total, 0) <> days.total
    or days.total <> months.total
    -- A payment may belong to no document, and has no tax of its own.
    or (definitions.sales_date_basis <> 'payment' and (
        days.parts <> days.total
        or days.gross <> days.tax_and_net
        or days.documents <> coalesce(effects.documents, 0)
    ))
union all
select purchase_days.shop_id, 'purchases' as report
from purchase_days
left join purchase_months on purchase_months.shop_id = purchase_days.shop_id
where coalesce(purchase_months.total, 0) <> purchase_days.total
    or purchase_days.gross <> purchase_days.tax_and_net
