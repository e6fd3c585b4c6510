-- path: models/marts/counted_sales.sql
-- kind: view
-- schema: marts
-- table: counted_sales

-- A view: the one place that says which amount counts as a sale, and on which day.

select
    sales.shop_id,
    sales.day as counted_day,
    cast(coalesce(sales.total, 0) as decimal(28, 4)) as counted_amount,
    sales.effect,
    sales.document_type,
    sales.document_id,
    sales.document_number,
    sales.effect_key,
    sales.happened_at,
    sales.ticket_id,
    tickets.technician,
    sales.customer_id,
    sales.customer_name,
    sales.status,
    sales.gross,
    sales.tax,
    sales.net,
    sales.cost,
    sales.uncosted,
    cast(coalesce(sales.margin, 0) as decimal(28, 4)) as margin
from "intermediate"."int_sales_effects" as sales
left join "marts"."tickets" as tickets
    on tickets.shop_id = sales.shop_id and tickets.id = sales.ticket_id
