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
    select payments.*, cast(1 as decimal(28, 4)) as payments
    from "marts"."payments" as payments
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
        documents.effect_key as effect_key,
        documents.status as status,
        documents.effect_at as happened_at,
        documents.cost as cost,
        documents.uncosted as uncosted,
        documents.margin as margin,
        documents.document_id as document_id,
        documents.document_number as document_number,
        documents.ticket_id as ticket_id,
        documents.customer_id as customer_id,
        documents.customer_name as customer_name
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
        payments.payments as documents,
        cast(null as TEXT) as effect_key,
        cast(null as TEXT) as status,
        payments.paid_at as happened_at,
        cast(null as decimal(28, 4)) as cost,
        cast(0 as decimal(28, 4)) as uncosted,
        cast(0 as decimal(28, 4)) as margin,
        payments.document_id as document_id,
        payments.document_number as document_number,
        payments.ticket_id as ticket_id,
        payments.customer_id as customer_id,
        payments.customer_name as customer_name
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
    case amount_basis
        when 'gross' then gross
        when 'net' then coalesce(net, gross)
        when 'gross_rounded' then cast(round(gross, 2) as decimal(28, 4))
        when 'net_rounded' then cast(round(coalesce(net, gross), 2) as decimal(28, 4))
    end as total,
    gross,
    tax,
    net,
    documents,
    effect_key,
    status,
    happened_at,
    cost,
    uncosted,
    margin,
    document_id,
    document_number,
    ticket_id,
    customer_id,
    customer_name
from effects
where day is not null
