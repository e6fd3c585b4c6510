-- path: models/marts/tax_by_rate.sql
-- kind: table
-- schema: marts
-- table: tax_by_rate
-- tests: grain_tax_by_rate_shop_id__day__rate_key

-- The service tells a line's tax, never its rate: it is the shop's own rate that gives this tax of
-- this amount, to two cents of rounding.
-- What a document says beyond its lines stands for itself, so that the sum is the document's tax.
with sold as (
    select * from "marts"."sales_documents" where effect_day is not null
),

line_sums as (
    select
        *,
        case
        when return_position is null then concat(document_type, ':', document_id)
        else concat(document_type, ':', document_id, ':return:', return_position)
    end as effect_key,
        case when is_returned then 'return' else document_type end as effect
    from "intermediate"."int_line_sums"
),

parts as (
    select
        shop_id, day, total as gross, coalesce(tax, 0) as tax,
        case when tax is not null then total end as rated_gross
    from "intermediate"."int_priced_lines"
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
            order by abs(case
        when abs(rates.rate) < 1000 and abs((amounts.gross - amounts.tax)) < 10000000
            then cast(try_cast(rates.rate as decimal(7, 4)) * try_cast((amounts.gross - amounts.tax) as decimal(11, 4)) as decimal(28, 4))
        else case
        when abs(rates.rate) < 1000000000000 and abs((amounts.gross - amounts.tax)) < 1000000000000
            then cast(rates.rate * (amounts.gross - amounts.tax) as decimal(28, 4))
    end
    end * 0.01 - amounts.tax), rates.rate
        ) as place
    from amounts
    inner join "intermediate"."int_tax_rates" as rates
        on rates.shop_id = amounts.shop_id
        and abs(case
        when abs(rates.rate) < 1000 and abs((amounts.gross - amounts.tax)) < 10000000
            then cast(try_cast(rates.rate as decimal(7, 4)) * try_cast((amounts.gross - amounts.tax) as decimal(11, 4)) as decimal(28, 4))
        else case
        when abs(rates.rate) < 1000000000000 and abs((amounts.gross - amounts.tax)) < 1000000000000
            then cast(rates.rate * (amounts.gross - amounts.tax) as decimal(28, 4))
    end
    end * 0.01 - amounts.tax) <= 0.02
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
    cast(date_trunc('month', rated.day) as date) as month,
    case
        when rated.rate is null then 'unknown'
        else cast(cast(rated.rate as decimal(9, 2)) as TEXT)
    end as rate_key,
    cast(max(rated.rate) as decimal(28, 4)) as rate,
    max(rates.name) as rate_name,
    cast(sum(rated.gross - rated.tax) as decimal(28, 4)) as net,
    cast(sum(rated.tax) as decimal(28, 4)) as tax,
    cast(sum(rated.gross) as decimal(28, 4)) as gross
from rated
left join "intermediate"."int_tax_rates" as rates on rates.shop_id = rated.shop_id and rates.rate = rated.rate
group by 1, 2, 3, 4
