-- depends_on: {{ ref('int_days_before') }}
{{ config(meta=replaced_by('int_changed_figures', document_key())) }}
with documents as (
    select * from {{ ref('documents') }} as documents where {{ is_changed('int_changed_figures', 'documents', document_key()) }}
),

line_sums as (
    select * from {{ ref('int_line_sums') }} as lines where {{ is_changed('int_changed_figures', 'lines', document_key()) }}
),

effects as (
    select
        documents.*,
        {{ effect_key('documents.document_type', 'documents.document_id', 'null') }} as effect_key,
        documents.document_type as effect,
        cast(null as {{ dbt.type_string() }}) as return_id,
        cast(null as {{ dbt.type_string() }}) as reason,
        documents.created_at as effect_at,
        documents.created_day as effect_day,
        documents.gross as effect_gross
    from documents
    union all
    select
        documents.*,
        {{ effect_key('returns.document_type', 'returns.document_id', 'returns.position') }} as effect_key,
        'return' as effect,
        returns.id as return_id,
        returns.reason,
        returns.created_at as effect_at,
        returns.created_day as effect_day,
        cast(-returns.amount as {{ money() }}) as effect_gross
    from {{ ref('int_returns') }} as returns
    inner join documents
        on documents.shop_id = returns.shop_id
        and documents.document_type = returns.document_type
        and documents.document_id = returns.document_id
    where {{ is_changed('int_changed_figures', 'returns', document_key()) }}
),

with_tax as (
    select
        effects.*,
        line_sums.cost,
        coalesce(line_sums.uncosted, effects.effect_gross, 0) as uncosted,
        -- A return says no tax: its lines do, if they add up to it; else its share of the document's.
        case
            when effects.effect_gross is null then null
            when effects.effect <> 'return' then effects.tax
            when line_sums.tax is not null and line_sums.total = effects.effect_gross then line_sums.tax
            when effects.gross <> 0
                then {{ try_cast('cast(effects.effect_gross as ' ~ double_type() ~ ') / effects.gross * effects.tax', money()) }}
        end as effect_tax
    from effects
    left join line_sums
        on line_sums.shop_id = effects.shop_id
        and line_sums.effect_key = effects.effect_key
        and line_sums.effect = effects.effect
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
    cast(cost as {{ money() }}) as cost,
    cast(uncosted as {{ money() }}) as uncosted,
    cast(1 as {{ money() }}) as documents,
    last_updated_at,
    seen_at
from with_tax
