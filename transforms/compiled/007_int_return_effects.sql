-- path: models/intermediate/int_return_effects.sql
-- kind: table
-- schema: intermediate
-- table: int_return_effects

-- Returns as sales, each with its document.

with line_sums as (
    select *, case
        when return_position is null then concat(document_type, ':', document_id)
        else concat(document_type, ':', document_id, ':return:', return_position)
    end as effect_key
    from "intermediate"."int_line_sums"
    where is_returned
),

effects as (
    select
        documents.*,
        case
        when returns.position is null then concat(returns.document_type, ':', returns.document_id)
        else concat(returns.document_type, ':', returns.document_id, ':return:', returns.position)
    end as effect_key,
        'return' as effect,
        returns.id as return_id,
        returns.reason,
        returns.created_at as effect_at,
        returns.created_day as effect_day,
        cast(-returns.amount as decimal(28, 4)) as effect_gross
    from "intermediate"."int_returns" as returns
    inner join "marts"."documents" as documents on documents.shop_id = returns.shop_id
        and documents.document_type = returns.document_type
        and documents.document_id = returns.document_id
)

select
    effects.*,
    -- A return says no tax: its lines do, if they add up to it; else its share of the document's.
    case
        when effects.effect_gross is null then null
        when line_sums.tax is not null and line_sums.total = effects.effect_gross then cast(line_sums.tax as decimal(28, 4))
        when effects.gross <> 0
            -- In whole cents; of the middle each engine has its own idea.
            then cast(try_cast(-floor(0.5 - cast(effects.effect_gross as double precision) / effects.gross * effects.tax * 100) as bigint)
                * 0.01 as decimal(28, 4))
    end as effect_tax,
    cast(line_sums.cost as decimal(28, 4)) as effect_cost,
    cast(coalesce(line_sums.uncosted, effects.effect_gross, 0) as decimal(28, 4)) as effect_uncosted,
    cast(coalesce(line_sums.uncosted_net, 0) as decimal(28, 4)) as effect_uncosted_net
from effects
left join line_sums
    on line_sums.shop_id = effects.shop_id
    and line_sums.effect_key = effects.effect_key
