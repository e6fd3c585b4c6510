-- path: models/intermediate/int_returns.sql
-- kind: view
-- schema: intermediate
-- table: int_returns

-- Returns of invoices and POS orders that exist, under one set of names.
select
    returns.shop_id, 'ticket_invoice' as document_type, returns.invoice_id as document_id, returns.row_key,
    returns.position, returns.id, returns.number, returns.reason, returns.amount, returns.created_at, returns.created_day
from "staging"."ticket_invoices__returns" as returns
inner join "staging"."ticket_invoices" as documents
    on documents.shop_id = returns.shop_id and documents.id = returns.invoice_id
where documents.deleted_at is null
union all
select
    returns.shop_id, 'pos_order' as document_type, returns.order_id as document_id, returns.row_key,
    returns.position, returns.id, returns.number, returns.reason, returns.amount, returns.created_at, returns.created_day
from "staging"."pos_orders__returns" as returns
inner join "staging"."pos_orders" as documents
    on documents.shop_id = returns.shop_id and documents.id = returns.order_id
where documents.deleted_at is null
