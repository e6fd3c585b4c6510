select
    orders.shop_id,
    concat('purchase_order:', orders.id) as effect_key,
    'purchase_order' as effect,
    orders.id as document_id,
    orders.number as document_number,
    orders.status,
    orders.supplier_id,
    coalesce(orders.supplier_company, suppliers.company) as supplier,
    cast(null as {{ dbt.type_string() }}) as category,
    orders.created_at,
    orders.created_day,
    orders.expected_day,
    orders.received_day,
    cast(coalesce(orders.cost, 0) as {{ money() }}) as cost,
    cast(coalesce(orders.shipping_cost, 0) as {{ money() }}) as shipping_cost,
    orders.tax_total as tax,
    orders.cost is not null as is_amount_known,
    cast(1 as bigint) as documents,
    orders.last_updated_at,
    orders.seen_at
from {{ ref('stg_purchase_orders') }} as orders
{{ named_in('suppliers', 'orders', 'supplier_id') }}
where orders.deleted_at is null

union all

select
    expenses.shop_id,
    concat('expense:', expenses.id) as effect_key,
    'expense' as effect,
    expenses.id as document_id,
    expenses.reference as document_number,
    cast(null as {{ dbt.type_string() }}) as status,
    cast(null as {{ dbt.type_string() }}) as supplier_id,
    cast(null as {{ dbt.type_string() }}) as supplier,
    coalesce(expenses.category_name, expense_categories.name, expenses.category_id) as category,
    expenses.created_at,
    expenses.created_day,
    cast(null as date) as expected_day,
    expenses.created_day as received_day,
    cast(coalesce(expenses.amount, 0) as {{ money() }}) as cost,
    cast(0 as {{ money() }}) as shipping_cost,
    expenses.tax,
    expenses.amount is not null as is_amount_known,
    cast(1 as bigint) as documents,
    cast(null as {{ instant_type() }}) as last_updated_at,
    expenses.seen_at
from {{ ref('stg_expenses') }} as expenses
{{ named_in('expense_categories', 'expenses', 'category_id') }}
where expenses.deleted_at is null
