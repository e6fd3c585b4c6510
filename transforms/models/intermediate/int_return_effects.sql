-- Returns as sales, each with its document.
{{ config(materialized='table') }}
with line_sums as (
    select *, {{ effect_key('document_type', 'document_id', 'return_position') }} as effect_key
    from {{ ref('int_line_sums') }}
    where is_returned
),

effects as (
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
    inner join {{ ref('documents') }} as documents on {{ same_document('documents', 'returns') }}
)

select
    effects.*,
    -- A return says no tax: its lines do, if they add up to it; else its share of the document's.
    case
        when effects.effect_gross is null then null
        when line_sums.tax is not null and line_sums.total = effects.effect_gross then cast(line_sums.tax as {{ money() }})
        when effects.gross <> 0
            -- In whole cents; of the middle each engine has its own idea.
            then cast({{ try_cast('-floor(0.5 - cast(effects.effect_gross as ' ~ double_type() ~ ') / effects.gross * effects.tax * 100)', 'bigint') }}
                * 0.01 as {{ money() }})
    end as effect_tax,
    cast(line_sums.cost as {{ money() }}) as effect_cost,
    cast(coalesce(line_sums.uncosted, effects.effect_gross, 0) as {{ money() }}) as effect_uncosted,
    cast(coalesce(line_sums.uncosted_net, 0) as {{ money() }}) as effect_uncosted_net
from effects
left join line_sums
    on line_sums.shop_id = effects.shop_id
    and line_sums.effect_key = effects.effect_key
