-- Each month's sales under every definition. A view: it costs nothing until someone calibrates.
{% set named = {} %}
{% for basis in amounts_by_basis() -%}
{% do named.update({'of_' ~ basis: ['documents.of_' ~ basis, 'payments.amount']}) %}
{%- endfor %}
with definitions as (
    select shops.shop_id, candidates.*
    from {{ ref('int_shops') }} as shops
    cross join {{ ref('int_sales_definitions') }} as candidates
),

-- Summed to months first, so that a hundred definitions multiply hundreds of rows and not millions.
documents as (
    select
        shop_id, effect, document_type, status, is_paid,
        {{ month_of('effect_day') }} as effect_day,
        {{ month_of('document_day') }} as document_day,
        {{ month_of('ticket_day') }} as ticket_day,
        {{ month_of('due_day') }} as due_day,
        {{ month_of('settled_day') }} as settled_day,
        sum(gross) as gross,
        sum(tax) as tax,
        sum(net) as net,
        {%- for basis, amount in amounts_by_basis().items() %}
        sum({{ amount }}) as of_{{ basis }},
        {%- endfor %}
        sum(documents) as documents
    from {{ ref('sales_documents') }}
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
),

paid as (
    select
        shop_id, document_type, kind,
        {{ month_of('day') }} as day,
        sum(amount) as amount,
        cast(count(*) as {{ money() }}) as payments
    from {{ ref('payments') }}
    group by 1, 2, 3, 4
),

effects as (
    {{ sales_effects('definitions', 'documents', 'paid', named) }}
)

select
    shop_id,
    definition,
    day as month,
    cast(sum(coalesce(case amount_basis
        {%- for basis in amounts_by_basis() %}
        when '{{ basis }}' then of_{{ basis }}
        {%- endfor %}
    end, 0)) as {{ money() }}) as total
from effects
where day is not null
group by 1, 2, 3
