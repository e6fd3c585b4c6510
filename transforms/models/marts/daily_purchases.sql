with definitions as (
    select
        shop_id,
        definition,
        purchases_date_basis as date_basis,
        purchases_amount_basis as amount_basis,
        purchases_with_shipping as with_shipping,
        purchases_with_expenses as with_expenses,
        purchases_documents as documents_rule
    from {{ ref('int_shop_definitions') }}
),

effects as (
    {{ purchase_effects('definitions', ref('purchase_documents')) }}
)

select
    shop_id,
    day,
    cast(sum(total) as {{ money() }}) as total,
    cast(sum(cost) as {{ money() }}) as cost,
    cast(sum(shipping_cost) as {{ money() }}) as shipping_cost,
    cast(sum(coalesce(tax, 0)) as {{ money() }}) as tax,
    cast(sum(cost + shipping_cost - coalesce(tax, 0)) as {{ money() }}) as net,
    cast(sum(case when effect = 'expense' then total else 0 end) as {{ money() }}) as expenses,
    cast(sum(documents) as bigint) as document_count
from effects
where day is not null
group by 1, 2
