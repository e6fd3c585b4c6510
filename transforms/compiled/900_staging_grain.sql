-- path: tests/staging_grain.sql
-- kind: test

-- Every staging table has one row for each key and no row without one. One query over all of them:
-- fifty tests of their own would cost more than the models.
-- Custom fields are four lists in one table: a service may count each of them from one.


select 'users' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."users"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'tax_rates' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."tax_rates"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'payment_methods' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."payment_methods"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'time_clock' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."time_clock"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'appointments' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."appointments"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'appointments__attendees' as table_name, shop_id, row_key as row_key, count(*) as times
from "staging"."appointments__attendees"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or row_key is null
union all


select 'customers' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."customers"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'groups' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."groups"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'tickets' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."tickets"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'tickets__lines' as table_name, shop_id, row_key as row_key, count(*) as times
from "staging"."tickets__lines"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or row_key is null
union all


select 'tickets__payments' as table_name, shop_id, row_key as row_key, count(*) as times
from "staging"."tickets__payments"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or row_key is null
union all


select 'ticket_comments' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."ticket_comments"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'ticket_timers' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."ticket_timers"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'statuses' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."statuses"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'presets' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."presets"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'presets__lines' as table_name, shop_id, row_key as row_key, count(*) as times
from "staging"."presets__lines"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or row_key is null
union all


select 'preset_categories' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."preset_categories"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'issue_types' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."issue_types"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'ticket_invoices' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."ticket_invoices"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'ticket_invoices__lines' as table_name, shop_id, row_key as row_key, count(*) as times
from "staging"."ticket_invoices__lines"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or row_key is null
union all


select 'ticket_invoices__payments' as table_name, shop_id, row_key as row_key, count(*) as times
from "staging"."ticket_invoices__payments"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or row_key is null
union all


select 'ticket_invoices__returns' as table_name, shop_id, row_key as row_key, count(*) as times
from "staging"."ticket_invoices__returns"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or row_key is null
union all


select 'ticket_invoices__returns__lines' as table_name, shop_id, row_key as row_key, count(*) as times
from "staging"."ticket_invoices__returns__lines"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or row_key is null
union all


select 'pos_orders' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."pos_orders"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'pos_orders__lines' as table_name, shop_id, row_key as row_key, count(*) as times
from "staging"."pos_orders__lines"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or row_key is null
union all


select 'pos_orders__payments' as table_name, shop_id, row_key as row_key, count(*) as times
from "staging"."pos_orders__payments"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or row_key is null
union all


select 'pos_orders__returns' as table_name, shop_id, row_key as row_key, count(*) as times
from "staging"."pos_orders__returns"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or row_key is null
union all


select 'pos_orders__returns__lines' as table_name, shop_id, row_key as row_key, count(*) as times
from "staging"."pos_orders__returns__lines"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or row_key is null
union all


select 'payments' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."payments"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'products' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."products"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'warranties' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."warranties"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'models' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."models"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'model_groups' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."model_groups"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'categories' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."categories"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'brands' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."brands"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'stock_count' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."stock_count"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'stock_count__products' as table_name, shop_id, row_key as row_key, count(*) as times
from "staging"."stock_count__products"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or row_key is null
union all


select 'stock' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."stock"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'serials' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."serials"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'adjustments' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."adjustments"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'adjustments__products' as table_name, shop_id, row_key as row_key, count(*) as times
from "staging"."adjustments__products"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or row_key is null
union all


select 'suppliers' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."suppliers"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'purchase_orders' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."purchase_orders"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'purchase_orders__lines' as table_name, shop_id, row_key as row_key, count(*) as times
from "staging"."purchase_orders__lines"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or row_key is null
union all


select 'expenses' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."expenses"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'expense_categories' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."expense_categories"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'leads' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."leads"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'custom_fields' as table_name, shop_id, type || ' ' || id as row_key, count(*) as times
from "staging"."custom_fields"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or type || ' ' || id is null
union all


select 'shipments' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."shipments"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
union all


select 'shipments_deleted' as table_name, shop_id, id as row_key, count(*) as times
from "staging"."shipments_deleted"
group by 1, 2, 3
having count(*) > 1 or shop_id is null or id is null
