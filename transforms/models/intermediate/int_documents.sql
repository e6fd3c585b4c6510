-- Ticket invoices and POS orders under one set of names; deleted ones are left out here, once.
-- A table: six models read it, and working out days anew for each cost more than all of them.
{{ config(materialized='table') }}
-- An invoice that says nothing of a ticket belongs to the one ticket that names it.
with naming as (
    select shop_id, invoice_id, min(id) as ticket_id, min(created_day) as ticket_day
    from {{ ref('stg_tickets') }}
    where invoice_id is not null
    group by 1, 2
    having min(id) = max(id)
)

select
    invoices.shop_id,
    'ticket_invoice' as document_type,
    invoices.id as document_id,
    invoices.number as document_number,
    coalesce(named.ticket_id, naming.ticket_id) as ticket_id,
    invoices.customer_id,
    coalesce(invoices.customer_name, customers.name) as customer_name,
    invoices.status,
    invoices.created_at,
    invoices.created_day,
    invoices.due_day,
    coalesce(named.ticket_day, naming.ticket_day, invoices.created_day) as ticket_day,
    invoices.amount_total,
    invoices.tax_total,
    invoices.last_updated_at,
    invoices.seen_at
from {{ ref('stg_ticket_invoices') }} as invoices
{{ ticket_named_in('ticket_invoices', 'invoices') }}
left join naming
    on named.ticket_id is null
    and naming.shop_id = invoices.shop_id
    and naming.invoice_id = invoices.id
{{ named_in('customers', 'invoices', 'customer_id') }}
where invoices.deleted_at is null

union all

select
    orders.shop_id,
    'pos_order' as document_type,
    orders.id as document_id,
    orders.number as document_number,
    cast(null as {{ dbt.type_string() }}) as ticket_id,
    orders.customer_id,
    coalesce(orders.customer_name, customers.name) as customer_name,
    orders.status,
    orders.created_at,
    orders.created_day,
    orders.due_day,
    orders.created_day as ticket_day,
    orders.amount_total,
    orders.tax_total,
    orders.last_updated_at,
    orders.seen_at
from {{ ref('stg_pos_orders') }} as orders
{{ named_in('customers', 'orders', 'customer_id') }}
where orders.deleted_at is null
