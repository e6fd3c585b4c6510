-- path: models/intermediate/int_sales_lines.sql
-- kind: view
-- schema: intermediate
-- table: int_sales_lines

-- Lines of documents and of their returns under one set of names, signs as on the paper.
select
    lines.shop_id, 'ticket_invoice' as document_type, lines.invoice_id as document_id,
    cast(null as TEXT) as return_row_key,
    lines.position, lines.product_id, lines.product_code, lines.item_description, lines.quantity, lines.unit_price, lines.discount,
    lines.tax, coalesce(lines.total, case
        when abs(lines.quantity) < 1000 and abs(lines.unit_price) < 10000000
            then cast(try_cast(lines.quantity as decimal(7, 4)) * try_cast(lines.unit_price as decimal(11, 4)) as decimal(28, 4))
        else case
        when abs(lines.quantity) < 1000000000000 and abs(lines.unit_price) < 1000000000000
            then cast(lines.quantity * lines.unit_price as decimal(28, 4))
    end
    end - coalesce(lines.discount, 0)) as total, lines.cost
from "staging"."ticket_invoices__lines" as lines
union all
select
    lines.shop_id, 'pos_order' as document_type, lines.order_id as document_id,
    cast(null as TEXT) as return_row_key,
    lines.position, lines.product_id, lines.product_code, lines.item_description, lines.quantity, lines.unit_price, lines.discount,
    lines.tax, coalesce(lines.total, case
        when abs(lines.quantity) < 1000 and abs(lines.unit_price) < 10000000
            then cast(try_cast(lines.quantity as decimal(7, 4)) * try_cast(lines.unit_price as decimal(11, 4)) as decimal(28, 4))
        else case
        when abs(lines.quantity) < 1000000000000 and abs(lines.unit_price) < 1000000000000
            then cast(lines.quantity * lines.unit_price as decimal(28, 4))
    end
    end - coalesce(lines.discount, 0)) as total, lines.cost
from "staging"."pos_orders__lines" as lines
union all
select
    lines.shop_id, 'ticket_invoice' as document_type, lines.invoice_id as document_id,
    lines.return_row_key,
    lines.position, lines.product_id, lines.product_code, lines.item_description, lines.quantity, lines.unit_price, lines.discount,
    lines.tax, coalesce(lines.total, case
        when abs(lines.quantity) < 1000 and abs(lines.unit_price) < 10000000
            then cast(try_cast(lines.quantity as decimal(7, 4)) * try_cast(lines.unit_price as decimal(11, 4)) as decimal(28, 4))
        else case
        when abs(lines.quantity) < 1000000000000 and abs(lines.unit_price) < 1000000000000
            then cast(lines.quantity * lines.unit_price as decimal(28, 4))
    end
    end - coalesce(lines.discount, 0)) as total, lines.cost
from "staging"."ticket_invoices__returns__lines" as lines
union all
select
    lines.shop_id, 'pos_order' as document_type, lines.order_id as document_id,
    lines.return_row_key,
    lines.position, lines.product_id, lines.product_code, lines.item_description, lines.quantity, lines.unit_price, lines.discount,
    lines.tax, coalesce(lines.total, case
        when abs(lines.quantity) < 1000 and abs(lines.unit_price) < 10000000
            then cast(try_cast(lines.quantity as decimal(7, 4)) * try_cast(lines.unit_price as decimal(11, 4)) as decimal(28, 4))
        else case
        when abs(lines.quantity) < 1000000000000 and abs(lines.unit_price) < 1000000000000
            then cast(lines.quantity * lines.unit_price as decimal(28, 4))
    end
    end - coalesce(lines.discount, 0)) as total, lines.cost
from "staging"."pos_orders__returns__lines" as lines
