-- The sales that count, on the day on which they count, under each shop's definition.
{% set nothing = 'cast(null as ' ~ dbt.type_string() ~ ')' %}
{% set named = {'effect_key': ['documents.effect_key', nothing], 'status': ['documents.status', nothing],
    'happened_at': ['documents.effect_at', 'payments.paid_at']} %}
{% for name in ['cost', 'uncosted', 'margin'] -%}
{% do named.update({name: ['documents.' ~ name, 'cast(' ~ ('null' if name == 'cost' else '0') ~ ' as ' ~ money() ~ ')']}) %}
{%- endfor %}
{% for name in ['document_id', 'document_number', 'ticket_id', 'customer_id', 'customer_name'] -%}
{% do named.update({name: ['documents.' ~ name, 'payments.' ~ name]}) %}
{%- endfor %}
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
    select payments.*, cast(1 as {{ money() }}) as payments
    from {{ ref('payments') }} as payments
),

effects as (
    {{ sales_effects('definitions', ref('sales_documents'), 'paid', named) }}
)

select
    shop_id,
    day,
    effect,
    document_type,
    case amount_basis
        {%- for basis, amount in amounts_by_basis().items() %}
        when '{{ basis }}' then {{ amount }}
        {%- endfor %}
    end as total,
    gross,
    tax,
    net,
    documents,
    {{ named | join(',\n    ') }}
from effects
where day is not null
