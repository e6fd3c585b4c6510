-- Ticket invoices and POS orders under one set of names; deleted ones are left out here, once.
-- A table: six models read it, and working out days anew for each cost more than all of them.
{{ config(materialized='table') }}
with invoices as (
    select * from {{ ref('stg_ticket_invoices') }} where deleted_at is null
),

orders as (
    select * from {{ ref('stg_pos_orders') }} where deleted_at is null
),

tickets as (
    select shop_id, id, created_at, created_day from {{ ref('stg_tickets') }}
)

select
    invoices.shop_id,
    'ticket_invoice' as document_type,
    invoices.id as document_id,
    invoices.number as document_number,
    invoices.ticket_id,
    invoices.customer_id,
    invoices.customer_name,
    invoices.status,
    invoices.created_at,
    invoices.created_day,
    invoices.due_day,
    coalesce(tickets.created_day, invoices.created_day) as ticket_day,
    invoices.amount_total,
    invoices.tax_total,
    invoices.last_updated_at,
    invoices.seen_at
from invoices
left join tickets
    on tickets.shop_id = invoices.shop_id and tickets.id = invoices.ticket_id

union all

select
    orders.shop_id,
    'pos_order' as document_type,
    orders.id as document_id,
    orders.number as document_number,
    cast(null as {{ dbt.type_string() }}) as ticket_id,
    orders.customer_id,
    orders.customer_name,
    orders.status,
    orders.created_at,
    orders.created_day,
    orders.due_day,
    orders.created_day as ticket_day,
    orders.amount_total,
    orders.tax_total,
    orders.last_updated_at,
    orders.seen_at
from orders
