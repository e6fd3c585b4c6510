-- path: models/intermediate/int_returns.sql
-- kind: view
-- schema: intermediate
-- table: int_returns

-- Returns of invoices and POS orders that exist, under one set of names.
with returns as (
    select
        shop_id, 'ticket_invoice' as document_type, invoice_id as document_id, row_key, position,
        id, number, reason, amount, created_at, created_day
    from "staging"."ticket_invoices__returns"
    union all
    select
        shop_id, 'pos_order' as document_type, order_id as document_id, row_key, position,
        id, number, reason, amount, created_at, created_day
    from "staging"."pos_orders__returns"
)

select returns.*
from returns
inner join "intermediate"."int_documents" as documents
    on documents.shop_id = returns.shop_id
    and documents.document_type = returns.document_type
    and documents.document_id = returns.document_id
