-- Every sensible reading of "sales", to be compared with what the service says.
with date_bases as (
    select 'document' as date_basis union all select 'ticket' union all select 'due' union all select 'settled'
),

amount_bases as (
    {%- for basis in amounts_by_basis() %}
    select '{{ basis }}' as amount_basis {{- ' union all' if not loop.last }}
    {%- endfor %}
),

returns_rules as (
    select 'return_day' as returns_rule union all select 'sale_day' union all select 'ignored'
),

documents_rules as (
    select 'all' as documents_rule union all select 'paid' union all select 'paid_or_due'
    union all select 'ticket_invoice' union all select 'pos_order'
),

combined as (
    select *
    from date_bases
    cross join amount_bases
    cross join returns_rules
    cross join documents_rules
    -- Only what is paid has a day on which it was.
    where not (date_basis = 'settled' and documents_rule <> 'paid')
    union all
    -- Money as it comes in: a refund is its own payment, so there is no day to choose for returns.
    select 'payment' as date_basis, 'gross' as amount_basis, returns_rule, 'all' as documents_rule
    from returns_rules
    where returns_rule <> 'sale_day'
)

select
    concat(date_basis, '/', amount_basis, '/', returns_rule, '/', documents_rule) as definition,
    date_basis,
    amount_basis,
    returns_rule,
    documents_rule
from combined
