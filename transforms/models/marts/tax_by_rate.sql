-- The service tells a line's tax, never its rate: it is the shop's own rate that gives this tax of
-- this amount, to two cents of rounding.
-- What a document says beyond its lines stands for itself, so that the sum is the document's tax.
with sold as (
    select * from {{ ref('sales_documents') }} where effect_day is not null
),

line_sums as (
    select
        *,
        {{ effect_key('document_type', 'document_id', 'return_position') }} as effect_key,
        case when is_returned then 'return' else document_type end as effect
    from {{ ref('int_line_sums') }}
),

parts as (
    select
        shop_id, day, total as gross, coalesce(tax, 0) as tax,
        case when tax is not null then total end as rated_gross
    from {{ ref('int_priced_lines') }}
    where day is not null
    union all
    select
        sold.shop_id, sold.effect_day as day,
        coalesce(sold.gross, 0) - coalesce(line_sums.total, 0) as gross,
        coalesce(sold.tax, 0) - coalesce(line_sums.tax, 0) as tax,
        case when line_sums.effect_key is null and sold.is_tax_known then coalesce(sold.gross, 0) end as rated_gross
    from sold
    left join line_sums
        on line_sums.shop_id = sold.shop_id
        and line_sums.effect_key = sold.effect_key
        and line_sums.effect = sold.effect
    where coalesce(sold.gross, 0) <> coalesce(line_sums.total, 0)
        or coalesce(sold.tax, 0) <> coalesce(line_sums.tax, 0)
),

amounts as (
    select distinct shop_id, rated_gross as gross, tax from parts where rated_gross is not null
),

candidates as (
    select
        amounts.*,
        rates.rate,
        row_number() over (
            partition by amounts.shop_id, amounts.gross, amounts.tax
            order by abs({{ product_of('rates.rate', '(amounts.gross - amounts.tax)') }} * 0.01 - amounts.tax), rates.rate
        ) as place
    from amounts
    inner join {{ ref('int_tax_rates') }} as rates
        on rates.shop_id = amounts.shop_id
        and abs({{ product_of('rates.rate', '(amounts.gross - amounts.tax)') }} * 0.01 - amounts.tax) <= 0.02
),

rated as (
    select
        parts.shop_id, parts.day,
        case when parts.rated_gross is not null and parts.tax = 0 then 0 else candidates.rate end as rate,
        sum(coalesce(parts.gross, 0)) as gross,
        sum(parts.tax) as tax
    from parts
    left join candidates
        on candidates.shop_id = parts.shop_id
        and candidates.gross = parts.rated_gross
        and candidates.tax = parts.tax
        and candidates.place = 1
    group by 1, 2, 3
)

select
    rated.shop_id,
    rated.day,
    {{ month_of('rated.day') }} as month,
    case
        when rated.rate is null then 'unknown'
        else cast(cast(rated.rate as decimal(9, 2)) as {{ dbt.type_string() }})
    end as rate_key,
    cast(max(rated.rate) as {{ money() }}) as rate,
    max(rates.name) as rate_name,
    cast(sum(rated.gross - rated.tax) as {{ money() }}) as net,
    cast(sum(rated.tax) as {{ money() }}) as tax,
    cast(sum(rated.gross) as {{ money() }}) as gross
from rated
left join {{ ref('int_tax_rates') }} as rates on rates.shop_id = rated.shop_id and rates.rate = rated.rate
group by 1, 2, 3, 4
