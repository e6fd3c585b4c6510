-- path: models/intermediate/int_purchase_definitions.sql
-- kind: view
-- schema: intermediate
-- table: int_purchase_definitions

-- Every sensible reading of "purchases", to be compared with what the service says.
with combined as (
    select *
    from (select 'received' as date_basis union all select 'created') as date_bases
    cross join (select 'gross' as amount_basis union all select 'net') as amount_bases
    cross join (select 'with' as shipping union all select 'without') as shipping_rules
    cross join (select 'without' as expenses union all select 'with') as expenses_rules
    cross join (select 'all' as documents_rule union all select 'received') as documents_rules
    -- Only what was received has a day on which it was.
    where not (date_basis = 'received' and documents_rule = 'received')
)

select
    concat(date_basis, '/', amount_basis, '/', shipping, '/', expenses, '/', documents_rule) as definition,
    date_basis,
    amount_basis,
    shipping = 'with' as with_shipping,
    expenses = 'with' as with_expenses,
    documents_rule
from combined
