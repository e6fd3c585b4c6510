-- The sales that count, on the day on which they count, under each shop's definition.
with definitions as (
    select
        shop_id,
        definition,
        sales_date_basis as date_basis,
        sales_amount_basis as amount_basis,
        sales_returns as returns_rule,
        sales_documents as documents_rule
    from {{ ref('int_shop_definitions') }}
),

paid as (
    select shop_id, document_type, kind, day, amount, cast(1 as {{ money() }}) as payments
    from {{ ref('payments') }}
),

effects as (
    {{ sales_effects('definitions', ref('sales_documents'), 'paid') }}
)

select
    shop_id,
    day,
    effect,
    document_type,
    case when amount_basis = 'net' then coalesce(net, gross) else gross end as total,
    gross,
    tax,
    net,
    cost,
    uncosted,
    documents
from effects
where day is not null
