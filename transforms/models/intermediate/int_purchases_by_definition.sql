-- Each month's purchases under every definition. A view: it costs nothing until someone calibrates.
with definitions as (
    select shops.shop_id, candidates.*
    from {{ ref('int_shops') }} as shops
    cross join {{ ref('int_purchase_definitions') }} as candidates
),

documents as (
    select
        shop_id, effect,
        {{ month_of('created_day') }} as created_day,
        {{ month_of('received_day') }} as received_day,
        sum(cost) as cost,
        sum(shipping_cost) as shipping_cost,
        sum(tax) as tax,
        sum(documents) as documents
    from {{ ref('purchase_documents') }}
    group by 1, 2, 3, 4
),

effects as (
    {{ purchase_effects('definitions', 'documents') }}
)

select shop_id, definition, day as month, cast(sum(total) as {{ money() }}) as total
from effects
where day is not null
group by 1, 2, 3
