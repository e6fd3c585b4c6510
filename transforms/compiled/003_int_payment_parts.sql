-- path: models/intermediate/int_payment_parts.sql
-- kind: table
-- schema: intermediate
-- table: int_payment_parts

-- Payments that settled several invoices (specification, POST /payments), with what each of these shows of them. A
-- table of few rows or none: it is looked up for each payment.

with shown as (
    select shop_id, coalesce(id, payment_id) as id, invoice_id, amount
    from "staging"."ticket_invoices__payments"
),

several as (
    select shop_id, id
    from shown
    where id is not null
    group by 1, 2
    having min(invoice_id) <> max(invoice_id)
)

select
    shown.shop_id, shown.id, shown.invoice_id, documents.created_day as document_day, shown.amount,
    sum(shown.amount) over (partition by shown.shop_id, shown.id) as whole
from shown
inner join several on several.shop_id = shown.shop_id and several.id = shown.id
inner join "intermediate"."int_documents" as documents
    on documents.shop_id = shown.shop_id
    and documents.document_type = 'ticket_invoice'
    and documents.document_id = shown.invoice_id
