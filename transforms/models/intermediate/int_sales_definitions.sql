-- Every sensible reading of "sales", to be compared with what the service says.
{% set returns_rules = "(select 'return_day' as returns_rule union all select 'sale_day' union all select 'ignored')" -%}
with combined as (
    select *
    from (
        select 'document' as date_basis union all select 'ticket' union all select 'due' union all select 'settled'
    ) as date_bases
    cross join (select '{{ amounts_by_basis() | join("' as amount_basis union all select '") }}') as amount_bases
    cross join {{ returns_rules }} as returns_rules
    cross join (
        select 'all' as documents_rule union all select 'paid' union all select 'paid_or_due'
        union all select 'ticket_invoice' union all select 'pos_order'
    ) as documents_rules
    -- Only what is paid has a day on which it was.
    where not (date_basis = 'settled' and documents_rule <> 'paid')
    union all
    -- Money as it comes in: a refund is its own payment, so there is no day to choose for returns.
    select 'payment' as date_basis, 'gross' as amount_basis, returns_rule, 'all' as documents_rule
    from {{ returns_rules }} as returns_rules
    where returns_rule <> 'sale_day'
)

select
    concat(date_basis, '/', amount_basis, '/', returns_rule, '/', documents_rule) as definition,
    date_basis,
    amount_basis,
    returns_rule,
    documents_rule
from combined
