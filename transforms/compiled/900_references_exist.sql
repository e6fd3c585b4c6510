-- path: tests/references_exist.sql
-- kind: test
-- severity: warn

-- What a record names exists here. A dangling reference is the service's to explain, or a sign
-- that a list was not read to its end: a finding, not a fault of the figures.



select 'ticket_invoices' as table_name, child.shop_id, child.id, 'customer_id' as column_name, child.customer_id as names
from "staging"."ticket_invoices" as child
left join "staging"."customers" as parent
    on parent.shop_id = child.shop_id and parent.id = child.customer_id
where child.deleted_at is null and child.customer_id is not null and parent.id is null
union all

select 'pos_orders' as table_name, child.shop_id, child.id, 'customer_id' as column_name, child.customer_id as names
from "staging"."pos_orders" as child
left join "staging"."customers" as parent
    on parent.shop_id = child.shop_id and parent.id = child.customer_id
where child.deleted_at is null and child.customer_id is not null and parent.id is null
union all

select 'tickets' as table_name, child.shop_id, child.id, 'customer_id' as column_name, child.customer_id as names
from "staging"."tickets" as child
left join "staging"."customers" as parent
    on parent.shop_id = child.shop_id and parent.id = child.customer_id
where child.deleted_at is null and child.customer_id is not null and parent.id is null
union all

select 'tickets' as table_name, child.shop_id, child.id, 'technician_id' as column_name, child.technician_id as names
from "staging"."tickets" as child
left join "staging"."users" as parent
    on parent.shop_id = child.shop_id and parent.id = child.technician_id
where child.deleted_at is null and child.technician_id is not null and parent.id is null
union all

select 'tickets' as table_name, child.shop_id, child.id, 'invoice_id' as column_name, child.invoice_id as names
from "staging"."tickets" as child
left join "staging"."ticket_invoices" as parent
    on parent.shop_id = child.shop_id and parent.id = child.invoice_id
where child.deleted_at is null and child.invoice_id is not null and parent.id is null
union all

select 'ticket_timers' as table_name, child.shop_id, child.id, 'user_id' as column_name, child.user_id as names
from "staging"."ticket_timers" as child
left join "staging"."users" as parent
    on parent.shop_id = child.shop_id and parent.id = child.user_id
where child.deleted_at is null and child.user_id is not null and parent.id is null
union all

select 'purchase_orders' as table_name, child.shop_id, child.id, 'supplier_id' as column_name, child.supplier_id as names
from "staging"."purchase_orders" as child
left join "staging"."suppliers" as parent
    on parent.shop_id = child.shop_id and parent.id = child.supplier_id
where child.deleted_at is null and child.supplier_id is not null and parent.id is null
union all

select 'stock' as table_name, child.shop_id, child.id, 'product_id' as column_name, child.product_id as names
from "staging"."stock" as child
left join "staging"."products" as parent
    on parent.shop_id = child.shop_id and parent.id = child.product_id
where child.deleted_at is null and child.product_id is not null and parent.id is null


union all
select record_type, shop_id, record_id, 'ticket_id', ticket_id
from "intermediate"."int_named_tickets"
where record_type = 'ticket_invoices' and not is_known
