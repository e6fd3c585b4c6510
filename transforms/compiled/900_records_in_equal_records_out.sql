-- path: tests/records_in_equal_records_out.sql
-- kind: test

-- Integrity: each record that exists at the service is in its mart once, and nothing else is; and
-- what was bought, listed on lines and owed is the same sum in the mart as in what it is made of.

with counted as (
    
    select
        'tickets in tickets' as what,
        (select count(*) from "staging"."tickets" where deleted_at is null) as came_in,
        (select count(*) from "marts"."tickets" where true) as went_out
    union all
    
    select
        'customers in customers' as what,
        (select count(*) from "staging"."customers" where deleted_at is null) as came_in,
        (select count(*) from "marts"."customers" where true) as went_out
    union all
    
    select
        'products in products' as what,
        (select count(*) from "staging"."products" where deleted_at is null) as came_in,
        (select count(*) from "marts"."products" where true) as went_out
    union all
    
    select
        'suppliers in suppliers' as what,
        (select count(*) from "staging"."suppliers" where deleted_at is null) as came_in,
        (select count(*) from "marts"."suppliers" where true) as went_out
    union all
    
    select
        'leads in leads' as what,
        (select count(*) from "staging"."leads" where deleted_at is null) as came_in,
        (select count(*) from "marts"."leads" where true) as went_out
    union all
    
    select
        'appointments in appointments' as what,
        (select count(*) from "staging"."appointments" where deleted_at is null) as came_in,
        (select count(*) from "marts"."appointments" where true) as went_out
    union all
    
    select
        'purchase_orders in purchases' as what,
        (select count(*) from "staging"."purchase_orders" where deleted_at is null) as came_in,
        (select count(*) from "marts"."purchases" where true) as went_out
    union all
    
    select
        'purchase_orders in purchase_documents' as what,
        (select count(*) from "staging"."purchase_orders" where deleted_at is null) as came_in,
        (select count(*) from "marts"."purchase_documents" where effect = 'purchase_order') as went_out
    union all
    
    select
        'expenses in purchase_documents' as what,
        (select count(*) from "staging"."expenses" where deleted_at is null) as came_in,
        (select count(*) from "marts"."purchase_documents" where effect = 'expense') as went_out
    union all
    
    -- Groups of tickets hold each ticket once.
    
    select
        'tickets in technicians' as what,
        (select count(*) from "marts"."tickets") as came_in,
        (select cast(coalesce(sum(tickets), 0) as bigint) from "marts"."technicians") as went_out
    union all
    
    select
        'tickets in issue_types' as what,
        (select count(*) from "marts"."tickets") as came_in,
        (select cast(coalesce(sum(tickets), 0) as bigint) from "marts"."issue_types") as went_out
    union all
    
    select
        'tickets in devices' as what,
        (select count(*) from "marts"."tickets") as came_in,
        (select cast(coalesce(sum(tickets), 0) as bigint) from "marts"."devices") as went_out
    union all
    
    select
        'lines of documents that exist' as what,
        (
            select count(*)
            from "intermediate"."int_sales_lines" as lines
            inner join "intermediate"."int_documents" as documents on documents.shop_id = lines.shop_id
        and documents.document_type = lines.document_type
        and documents.document_id = lines.document_id
        ) as came_in,
        (select count(*) from "marts"."sales_lines") as went_out
    union all
    
    select
        'cost of purchase orders' as what,
        (select coalesce(sum(cost), 0) from "staging"."purchase_orders" where deleted_at is null) as came_in,
        (select coalesce(sum(cost), 0) from "marts"."purchases" where true) as went_out
    union all
    
    select
        'shipping of purchase orders' as what,
        (select coalesce(sum(shipping_cost), 0) from "staging"."purchase_orders" where deleted_at is null) as came_in,
        (select coalesce(sum(shipping_cost), 0) from "marts"."purchases" where true) as went_out
    union all
    
    select
        'expenses' as what,
        (select coalesce(sum(amount), 0) from "staging"."expenses" where deleted_at is null) as came_in,
        (select coalesce(sum(cost), 0) from "marts"."purchase_documents" where effect = 'expense') as went_out
    union all
    
    select
        'due' as what,
        (select coalesce(sum(due), 0) from "marts"."documents" where due >= 0.01 and gross is not null) as came_in,
        (select coalesce(sum(due), 0) from "marts"."receivables") as went_out
    union all
    select
        'lifetime value of customers' as what,
        (
            select coalesce(sum(effects.gross), 0)
            from "marts"."sales_documents" as effects
            inner join "marts"."customers" as customers
                on customers.shop_id = effects.shop_id and customers.id = effects.customer_id
        ) as came_in,
        (select coalesce(sum(lifetime_value), 0) from "marts"."customers") as went_out
)

-- Wider than an amount: sums of absurd amounts are no reason to fail.
select what, cast(came_in as decimal(38, 4)) as came_in, cast(went_out as decimal(38, 4)) as went_out
from counted
where came_in <> went_out
