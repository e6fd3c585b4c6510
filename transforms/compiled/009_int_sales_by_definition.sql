-- path: models/intermediate/int_sales_by_definition.sql
-- kind: view
-- schema: intermediate
-- table: int_sales_by_definition

-- Each month's sales under every definition. A view: it costs nothing until someone calibrates.


with definitions as (
    select shops.shop_id, candidates.*
    from "intermediate"."int_shops" as shops
    cross join "intermediate"."int_sales_definitions" as candidates
),

-- Summed to months first, so that a hundred definitions multiply hundreds of rows and not millions.
documents as (
    select
        shop_id, effect, document_type, status, is_paid,
        cast(date_trunc('month', effect_day) as date) as effect_day,
        cast(date_trunc('month', document_day) as date) as document_day,
        cast(date_trunc('month', ticket_day) as date) as ticket_day,
        cast(date_trunc('month', due_day) as date) as due_day,
        cast(date_trunc('month', settled_day) as date) as settled_day,
        sum(gross) as gross,
        sum(tax) as tax,
        sum(net) as net,
        sum(gross) as of_gross,
        sum(coalesce(net, gross)) as of_net,
        sum(cast(round(gross, 2) as decimal(28, 4))) as of_gross_rounded,
        sum(cast(round(coalesce(net, gross), 2) as decimal(28, 4))) as of_net_rounded,
        sum(documents) as documents
    from "marts"."sales_documents"
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
),

paid as (
    select
        shop_id, document_type, kind,
        cast(date_trunc('month', day) as date) as day,
        sum(amount) as amount,
        cast(count(*) as decimal(28, 4)) as payments
    from "marts"."payments"
    group by 1, 2, 3, 4
),

effects as (
    
    select
        definitions.shop_id,
        definitions.definition,
        definitions.amount_basis,
        documents.effect,
        documents.document_type,
        case
            when documents.effect = 'return' and definitions.returns_rule = 'return_day'
                then documents.effect_day
            when definitions.date_basis = 'ticket' then documents.ticket_day
            when definitions.date_basis = 'due' then documents.due_day
            when definitions.date_basis = 'settled' then documents.settled_day
            else documents.document_day
        end as day,
        documents.gross,
        documents.tax,
        documents.net,
        documents.documents,
        documents.of_gross as of_gross,
        documents.of_net as of_net,
        documents.of_gross_rounded as of_gross_rounded,
        documents.of_net_rounded as of_net_rounded
    from documents as documents
    inner join definitions as definitions on definitions.shop_id = documents.shop_id
    where definitions.date_basis <> 'payment'
        -- What is said to be neither paid nor due is void, or whatever a shop calls it.
        and definitions.documents_rule in (
            'all',
            documents.document_type,
            case when documents.is_paid then 'paid' end,
            case when coalesce(lower(documents.status), 'due') in ('paid', 'due') then 'paid_or_due' end
        )
        and not (documents.effect = 'return' and definitions.returns_rule = 'ignored')

    union all

    select
        definitions.shop_id,
        definitions.definition,
        definitions.amount_basis,
        case when payments.kind = 'refund' then 'return' else payments.document_type end as effect,
        payments.document_type,
        payments.day,
        payments.amount as gross,
        cast(null as decimal(28, 4)) as tax,
        cast(null as decimal(28, 4)) as net,
        payments.payments as documents,
        payments.amount as of_gross,
        payments.amount as of_net,
        payments.amount as of_gross_rounded,
        payments.amount as of_net_rounded
    from paid as payments
    inner join definitions as definitions on definitions.shop_id = payments.shop_id
    where definitions.date_basis = 'payment'
        and not (payments.kind = 'refund' and definitions.returns_rule = 'ignored')

)

select
    shop_id,
    definition,
    day as month,
    cast(sum(coalesce(case amount_basis
        when 'gross' then of_gross
        when 'net' then of_net
        when 'gross_rounded' then of_gross_rounded
        when 'net_rounded' then of_net_rounded
    end, 0)) as decimal(28, 4)) as total
from effects
where day is not null
group by 1, 2, 3
