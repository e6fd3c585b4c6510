-- path: models/intermediate/int_sales_lines.sql
-- kind: view
-- schema: intermediate
-- table: int_sales_lines

-- Lines of documents and of their returns under one set of names, signs as on the paper.
select
    lines.shop_id, 'ticket_invoice' as document_type, lines.invoice_id as document_id,
    cast(null as TEXT) as return_row_key, lines.position, lines.product_code,
    lines.item_description, lines.quantity, lines.unit_price, lines.discount, lines.tax,
    lines.total, lines.cost
from "staging"."ticket_invoices__lines" as lines
union all
select
    lines.shop_id, 'pos_order' as document_type, lines.order_id as document_id,
    cast(null as TEXT) as return_row_key, lines.position, lines.product_code,
    lines.item_description, lines.quantity, lines.unit_price, lines.discount, lines.tax,
    lines.total, lines.cost
from "staging"."pos_orders__lines" as lines
union all
select
    lines.shop_id, 'ticket_invoice' as document_type, lines.invoice_id as document_id,
    lines.return_row_key, lines.position, lines.product_code,
    lines.item_description, lines.quantity, lines.unit_price, lines.discount, lines.tax,
    lines.total, lines.cost
from "staging"."ticket_invoices__returns__lines" as lines
union all
select
    lines.shop_id, 'pos_order' as document_type, lines.order_id as document_id,
    lines.return_row_key, lines.position, lines.product_code,
    lines.item_description, lines.quantity, lines.unit_price, lines.discount, lines.tax,
    lines.total, lines.cost
from "staging"."pos_orders__returns__lines" as lines
