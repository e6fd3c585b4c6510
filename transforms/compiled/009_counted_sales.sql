-- path: models/marts/counted_sales.sql
-- kind: view
-- schema: marts
-- table: counted_sales

-- A view: the one place that says which amount counts as a sale, and on which day.

select
    shop_id,
    day as counted_day,
    cast(coalesce(total, 0) as decimal(28, 4)) as counted_amount,
    effect,
    document_type,
    document_id,
    document_number,
    effect_key,
    happened_at,
    ticket_id,
    customer_id,
    customer_name,
    status,
    gross,
    tax,
    net,
    cost,
    uncosted,
    cast(case when cost is not null then coalesce(net, gross, 0) - cost else 0 end as decimal(28, 4)) as margin
from "intermediate"."int_sales_effects"
