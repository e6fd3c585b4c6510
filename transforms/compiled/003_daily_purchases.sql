-- path: models/marts/daily_purchases.sql
-- kind: table
-- schema: marts
-- table: daily_purchases
-- tests: grain_daily_purchases_shop_id__day

with definitions as (
    select
        shop_id,
        definition,
        purchases_date_basis as date_basis,
        purchases_amount_basis as amount_basis,
        purchases_with_shipping as with_shipping,
        purchases_with_expenses as with_expenses,
        purchases_documents as documents_rule
    from "intermediate"."int_shop_definitions"
),

effects as (
    
    select
        definitions.shop_id,
        definitions.definition,
        documents.effect,
        case
            when documents.effect = 'expense' or definitions.date_basis = 'created'
                then documents.created_day
            else documents.received_day
        end as day,
        cast(
            documents.cost
            - case when definitions.amount_basis = 'net' then coalesce(documents.tax, 0) else 0 end
            + case when definitions.with_shipping then documents.shipping_cost else 0 end
            as decimal(28, 4)
        ) as total,
        documents.tax,
        documents.cost,
        documents.shipping_cost,
        documents.documents
    from "marts"."purchase_documents" as documents
    inner join definitions as definitions on definitions.shop_id = documents.shop_id
    where (documents.effect = 'purchase_order' or definitions.with_expenses)
        and (
            definitions.documents_rule = 'all'
            or documents.effect = 'expense'
            or documents.received_day is not null
        )

)

select
    shop_id,
    day,
    cast(sum(total) as decimal(28, 4)) as total,
    cast(sum(cost) as decimal(28, 4)) as cost,
    cast(sum(shipping_cost) as decimal(28, 4)) as shipping_cost,
    cast(sum(coalesce(tax, 0)) as decimal(28, 4)) as tax,
    cast(sum(cost + shipping_cost - coalesce(tax, 0)) as decimal(28, 4)) as net,
    cast(sum(case when effect = 'expense' then total else 0 end) as decimal(28, 4)) as expenses,
    cast(sum(documents) as bigint) as document_count
from effects
where day is not null
group by 1, 2
