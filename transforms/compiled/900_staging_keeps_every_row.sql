-- path: tests/staging_keeps_every_row.sql
-- kind: test

-- What came in is what went out: a staging table has as many rows as its raw table.

select 'users' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."users") as raw_rows
cross join (select count(*) as times from "staging"."users") as staged
where raw_rows.times <> staged.times
union all

select 'tax_rates' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."tax_rates") as raw_rows
cross join (select count(*) as times from "staging"."tax_rates") as staged
where raw_rows.times <> staged.times
union all

select 'payment_methods' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."payment_methods") as raw_rows
cross join (select count(*) as times from "staging"."payment_methods") as staged
where raw_rows.times <> staged.times
union all

select 'time_clock' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."time_clock") as raw_rows
cross join (select count(*) as times from "staging"."time_clock") as staged
where raw_rows.times <> staged.times
union all

select 'appointments' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."appointments") as raw_rows
cross join (select count(*) as times from "staging"."appointments") as staged
where raw_rows.times <> staged.times
union all

select 'appointments__attendees' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."appointments__attendees") as raw_rows
cross join (select count(*) as times from "staging"."appointments__attendees") as staged
where raw_rows.times <> staged.times
union all

select 'customers' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."customers") as raw_rows
cross join (select count(*) as times from "staging"."customers") as staged
where raw_rows.times <> staged.times
union all

select 'groups' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."groups") as raw_rows
cross join (select count(*) as times from "staging"."groups") as staged
where raw_rows.times <> staged.times
union all

select 'tickets' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."tickets") as raw_rows
cross join (select count(*) as times from "staging"."tickets") as staged
where raw_rows.times <> staged.times
union all

select 'tickets__lines' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."tickets__lines") as raw_rows
cross join (select count(*) as times from "staging"."tickets__lines") as staged
where raw_rows.times <> staged.times
union all

select 'tickets__payments' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."tickets__payments") as raw_rows
cross join (select count(*) as times from "staging"."tickets__payments") as staged
where raw_rows.times <> staged.times
union all

select 'ticket_comments' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."ticket_comments") as raw_rows
cross join (select count(*) as times from "staging"."ticket_comments") as staged
where raw_rows.times <> staged.times
union all

select 'ticket_timers' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."ticket_timers") as raw_rows
cross join (select count(*) as times from "staging"."ticket_timers") as staged
where raw_rows.times <> staged.times
union all

select 'statuses' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."statuses") as raw_rows
cross join (select count(*) as times from "staging"."statuses") as staged
where raw_rows.times <> staged.times
union all

select 'presets' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."presets") as raw_rows
cross join (select count(*) as times from "staging"."presets") as staged
where raw_rows.times <> staged.times
union all

select 'presets__lines' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."presets__lines") as raw_rows
cross join (select count(*) as times from "staging"."presets__lines") as staged
where raw_rows.times <> staged.times
union all

select 'preset_categories' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."preset_categories") as raw_rows
cross join (select count(*) as times from "staging"."preset_categories") as staged
where raw_rows.times <> staged.times
union all

select 'issue_types' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."issue_types") as raw_rows
cross join (select count(*) as times from "staging"."issue_types") as staged
where raw_rows.times <> staged.times
union all

select 'ticket_invoices' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."ticket_invoices") as raw_rows
cross join (select count(*) as times from "staging"."ticket_invoices") as staged
where raw_rows.times <> staged.times
union all

select 'ticket_invoices__lines' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."ticket_invoices__lines") as raw_rows
cross join (select count(*) as times from "staging"."ticket_invoices__lines") as staged
where raw_rows.times <> staged.times
union all

select 'ticket_invoices__payments' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."ticket_invoices__payments") as raw_rows
cross join (select count(*) as times from "staging"."ticket_invoices__payments") as staged
where raw_rows.times <> staged.times
union all

select 'ticket_invoices__returns' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."ticket_invoices__returns") as raw_rows
cross join (select count(*) as times from "staging"."ticket_invoices__returns") as staged
where raw_rows.times <> staged.times
union all

select 'ticket_invoices__returns__lines' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."ticket_invoices__returns__lines") as raw_rows
cross join (select count(*) as times from "staging"."ticket_invoices__returns__lines") as staged
where raw_rows.times <> staged.times
union all

select 'pos_orders' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."pos_orders") as raw_rows
cross join (select count(*) as times from "staging"."pos_orders") as staged
where raw_rows.times <> staged.times
union all

select 'pos_orders__lines' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."pos_orders__lines") as raw_rows
cross join (select count(*) as times from "staging"."pos_orders__lines") as staged
where raw_rows.times <> staged.times
union all

select 'pos_orders__payments' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."pos_orders__payments") as raw_rows
cross join (select count(*) as times from "staging"."pos_orders__payments") as staged
where raw_rows.times <> staged.times
union all

select 'pos_orders__returns' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."pos_orders__returns") as raw_rows
cross join (select count(*) as times from "staging"."pos_orders__returns") as staged
where raw_rows.times <> staged.times
union all

select 'pos_orders__returns__lines' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."pos_orders__returns__lines") as raw_rows
cross join (select count(*) as times from "staging"."pos_orders__returns__lines") as staged
where raw_rows.times <> staged.times
union all

select 'payments' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."payments") as raw_rows
cross join (select count(*) as times from "staging"."payments") as staged
where raw_rows.times <> staged.times
union all

select 'products' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."products") as raw_rows
cross join (select count(*) as times from "staging"."products") as staged
where raw_rows.times <> staged.times
union all

select 'warranties' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."warranties") as raw_rows
cross join (select count(*) as times from "staging"."warranties") as staged
where raw_rows.times <> staged.times
union all

select 'models' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."models") as raw_rows
cross join (select count(*) as times from "staging"."models") as staged
where raw_rows.times <> staged.times
union all

select 'model_groups' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."model_groups") as raw_rows
cross join (select count(*) as times from "staging"."model_groups") as staged
where raw_rows.times <> staged.times
union all

select 'categories' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."categories") as raw_rows
cross join (select count(*) as times from "staging"."categories") as staged
where raw_rows.times <> staged.times
union all

select 'brands' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."brands") as raw_rows
cross join (select count(*) as times from "staging"."brands") as staged
where raw_rows.times <> staged.times
union all

select 'stock_count' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."stock_count") as raw_rows
cross join (select count(*) as times from "staging"."stock_count") as staged
where raw_rows.times <> staged.times
union all

select 'stock_count__products' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."stock_count__products") as raw_rows
cross join (select count(*) as times from "staging"."stock_count__products") as staged
where raw_rows.times <> staged.times
union all

select 'stock' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."stock") as raw_rows
cross join (select count(*) as times from "staging"."stock") as staged
where raw_rows.times <> staged.times
union all

select 'serials' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."serials") as raw_rows
cross join (select count(*) as times from "staging"."serials") as staged
where raw_rows.times <> staged.times
union all

select 'adjustments' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."adjustments") as raw_rows
cross join (select count(*) as times from "staging"."adjustments") as staged
where raw_rows.times <> staged.times
union all

select 'adjustments__products' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."adjustments__products") as raw_rows
cross join (select count(*) as times from "staging"."adjustments__products") as staged
where raw_rows.times <> staged.times
union all

select 'suppliers' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."suppliers") as raw_rows
cross join (select count(*) as times from "staging"."suppliers") as staged
where raw_rows.times <> staged.times
union all

select 'purchase_orders' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."purchase_orders") as raw_rows
cross join (select count(*) as times from "staging"."purchase_orders") as staged
where raw_rows.times <> staged.times
union all

select 'purchase_orders__lines' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."purchase_orders__lines") as raw_rows
cross join (select count(*) as times from "staging"."purchase_orders__lines") as staged
where raw_rows.times <> staged.times
union all

select 'expenses' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."expenses") as raw_rows
cross join (select count(*) as times from "staging"."expenses") as staged
where raw_rows.times <> staged.times
union all

select 'expense_categories' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."expense_categories") as raw_rows
cross join (select count(*) as times from "staging"."expense_categories") as staged
where raw_rows.times <> staged.times
union all

select 'leads' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."leads") as raw_rows
cross join (select count(*) as times from "staging"."leads") as staged
where raw_rows.times <> staged.times
union all

select 'custom_fields' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."custom_fields") as raw_rows
cross join (select count(*) as times from "staging"."custom_fields") as staged
where raw_rows.times <> staged.times
union all

select 'shipments' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."shipments") as raw_rows
cross join (select count(*) as times from "staging"."shipments") as staged
where raw_rows.times <> staged.times
union all

select 'shipments_deleted' as table_name, raw_rows.times as raw_rows, staged.times as staged_rows
from (select count(*) as times from "raw"."shipments_deleted") as raw_rows
cross join (select count(*) as times from "staging"."shipments_deleted") as staged
where raw_rows.times <> staged.times
