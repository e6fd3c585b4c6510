-- path: models/intermediate/int_sales_effects.sql
-- kind: view
-- schema: intermediate
-- table: int_sales_effects

-- The sales that count, on the day on which they count, under each shop's definition.
with definitions as (
    select
        shop_id,
        definition,
        sales_date_basis as date_basis,
        sales_amount_basis as amount_basis,
        sales_returns as returns_rule,
        sales_documents as documents_rule
    from "intermediate"."int_shop_definitions"
),

paid as (
    select shop_id, document_type, kind, day, amount, cast(1 as decimal(28, 4)) as payments
    from "marts"."payments"
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
        documents.cost,
        documents.uncosted,
        documents.documents
    from "marts"."sales_documents" as documents
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
        cast(null as decimal(28, 4)) as cost,
        cast(0 as decimal(28, 4)) as uncosted,
        payments.payments as documents
    from paid as payments
    inner join definitions as definitions on definitions.shop_id = payments.shop_id
    where definitions.date_basis = 'payment'
        and not (payments.kind = 'refund' and definitions.returns_rule = 'ignored')

)

select
    shop_id,
    day,
    effect,
    document_type,
    case when amount_basis = 'net' then coalesce(net, gross) else gross end as total,
    gross,
    tax,
    net,
    cost,
    uncosted,
    documents
from effects
where day is not null
