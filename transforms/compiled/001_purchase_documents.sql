-- path: models/marts/purchase_documents.sql
-- kind: table
-- schema: marts
-- table: purchase_documents
-- tests: grain_purchase_documents_shop_id__effect_key

select
    orders.shop_id,
    concat('purchase_order:', orders.id) as effect_key,
    'purchase_order' as effect,
    orders.id as document_id,
    orders.number as document_number,
    orders.status,
    orders.supplier_id,
    coalesce(orders.supplier_company, suppliers.company) as supplier,
    cast(null as TEXT) as category,
    orders.created_at,
    orders.created_day,
    orders.expected_day,
    orders.received_day,
    cast(coalesce(orders.cost, 0) as decimal(28, 4)) as cost,
    cast(coalesce(orders.shipping_cost, 0) as decimal(28, 4)) as shipping_cost,
    orders.tax_total as tax,
    orders.cost is not null as is_amount_known,
    cast(1 as bigint) as documents,
    orders.last_updated_at,
    orders.seen_at
from "staging"."purchase_orders" as orders
left join "staging"."suppliers" as suppliers on suppliers.shop_id = orders.shop_id and suppliers.id = orders.supplier_id
where orders.deleted_at is null

union all

select
    expenses.shop_id,
    concat('expense:', expenses.id) as effect_key,
    'expense' as effect,
    expenses.id as document_id,
    expenses.reference as document_number,
    cast(null as TEXT) as status,
    cast(null as TEXT) as supplier_id,
    cast(null as TEXT) as supplier,
    coalesce(expenses.category_name, expense_categories.name, expenses.category_id) as category,
    expenses.created_at,
    expenses.created_day,
    cast(null as date) as expected_day,
    expenses.created_day as received_day,
    cast(coalesce(expenses.amount, 0) as decimal(28, 4)) as cost,
    cast(0 as decimal(28, 4)) as shipping_cost,
    expenses.tax,
    expenses.amount is not null as is_amount_known,
    cast(1 as bigint) as documents,
    cast(null as timestamp with time zone) as last_updated_at,
    expenses.seen_at
from "staging"."expenses" as expenses
left join "staging"."expense_categories" as expense_categories on expense_categories.shop_id = expenses.shop_id and expense_categories.id = expenses.category_id
where expenses.deleted_at is null
