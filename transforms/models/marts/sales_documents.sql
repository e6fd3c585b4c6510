-- A view: what it says of a document stands in `documents`.
{{ config(materialized='view') }}
with effects as (
    select
        documents.*,
        {{ effect_key('document_type', 'document_id', 'null') }} as effect_key,
        document_type as effect,
        cast(null as {{ dbt.type_string() }}) as return_id,
        cast(null as {{ dbt.type_string() }}) as reason,
        created_at as effect_at,
        created_day as effect_day,
        gross as effect_gross,
        -- Where the amount is unknown, its tax tells nothing.
        case when gross is not null then tax end as effect_tax,
        cost as effect_cost,
        uncosted as effect_uncosted,
        uncosted_net as effect_uncosted_net
    from {{ ref('documents') }} as documents
    union all
    select * from {{ ref('int_return_effects') }}
)

select
    shop_id,
    effect_key,
    effect,
    document_type,
    document_id,
    document_number,
    return_id,
    reason,
    ticket_id,
    customer_id,
    customer_name,
    status,
    is_paid,
    effect_at,
    effect_day,
    created_day as document_day,
    ticket_day,
    coalesce(due_day, created_day) as due_day,
    last_payment_day,
    case when is_paid then coalesce(last_payment_day, created_day) end as settled_day,
    effect_gross as gross,
    cast(effect_tax as {{ money() }}) as tax,
    cast(effect_gross - coalesce(effect_tax, 0) as {{ money() }}) as net,
    effect_tax is not null as is_tax_known,
    cast(effect_cost as {{ money() }}) as cost,
    cast(effect_uncosted as {{ money() }}) as uncosted,
    cast(case when effect_cost is not null then effect_gross - coalesce(effect_tax, 0) - effect_uncosted_net - effect_cost
        else 0 end as {{ money() }}) as margin,
    cast(1 as {{ money() }}) as documents,
    last_updated_at,
    seen_at
from effects
