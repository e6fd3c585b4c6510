-- path: models/intermediate/int_purchases_by_definition.sql
-- kind: view
-- schema: intermediate
-- table: int_purchases_by_definition

-- Each month's purchases under every definition. A view: it costs nothing until someone calibrates.
with definitions as (
    select shops.shop_id, candidates.*
    from "intermediate"."int_shops" as shops
    cross join "intermediate"."int_purchase_definitions" as candidates
),

documents as (
    select
        shop_id, effect,
        cast(date_trunc('month', created_day) as date) as created_day,
        cast(date_trunc('month', received_day) as date) as received_day,
        sum(cost) as cost,
        sum(shipping_cost) as shipping_cost,
        sum(tax) as tax,
        sum(documents) as documents
    from "marts"."purchase_documents"
    group by 1, 2, 3, 4
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
    from documents as documents
    inner join definitions as definitions on definitions.shop_id = documents.shop_id
    where (documents.effect = 'purchase_order' or definitions.with_expenses)
        and (
            definitions.documents_rule = 'all'
            or documents.effect = 'expense'
            or documents.received_day is not null
        )

)

select shop_id, definition, day as month, cast(sum(total) as decimal(28, 4)) as total
from effects
where day is not null
group by 1, 2, 3
