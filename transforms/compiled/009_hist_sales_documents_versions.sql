-- path: models/history/hist_sales_documents_versions.sql
-- kind: incremental
-- schema: history
-- table: sales_documents_versions

select rows_now.*, cast($build_moment as timestamp) as dbt_valid_from from "marts"."sales_documents" as rows_now

-- later:
with present as (
        select rows_now.*, hash(shop_id, effect_key, effect, document_type, document_id, document_number, return_id, reason, ticket_id, customer_id, customer_name, status, is_paid, effect_at, effect_day, document_day, ticket_day, due_day, last_payment_day, settled_day, gross, tax, net, is_tax_known, cost, uncosted, margin, documents, last_updated_at) as content from "marts"."sales_documents" as rows_now
    ),

    placed as (
        select
            shop_id, effect_key, dbt_valid_from,
            case when seen_at is not null then hash(cast(shop_id as TEXT), cast(effect_key as TEXT), cast(effect as TEXT), cast(document_type as TEXT), cast(document_id as TEXT), cast(document_number as TEXT), cast(return_id as TEXT), cast(reason as TEXT), cast(ticket_id as TEXT), cast(customer_id as TEXT), cast(customer_name as TEXT), cast(status as TEXT), cast(is_paid as BOOLEAN), cast(effect_at as TIMESTAMP WITH TIME ZONE), cast(effect_day as DATE), cast(document_day as DATE), cast(ticket_day as DATE), cast(due_day as DATE), cast(last_payment_day as DATE), cast(settled_day as DATE), cast(gross as DECIMAL(28,4)), cast(tax as DECIMAL(28,4)), cast(net as DECIMAL(28,4)), cast(is_tax_known as BOOLEAN), cast(cost as DECIMAL(28,4)), cast(uncosted as DECIMAL(28,4)), cast(margin as DECIMAL(28,4)), cast(documents as DECIMAL(28,4)), cast(last_updated_at as TIMESTAMP WITH TIME ZONE)) end as content,
            row_number() over (partition by shop_id, effect_key order by dbt_valid_from desc) as place
        from "history"."sales_documents_versions"
    ),

    newest as (
        select * from placed where place = 1
    )

    select
        coalesce(present.shop_id, newest.shop_id) as shop_id,
        coalesce(present.effect_key, newest.effect_key) as effect_key,
        present.effect,
        present.document_type,
        present.document_id,
        present.document_number,
        present.return_id,
        present.reason,
        present.ticket_id,
        present.customer_id,
        present.customer_name,
        present.status,
        present.is_paid,
        present.effect_at,
        present.effect_day,
        present.document_day,
        present.ticket_day,
        present.due_day,
        present.last_payment_day,
        present.settled_day,
        present.gross,
        present.tax,
        present.net,
        present.is_tax_known,
        present.cost,
        present.uncosted,
        present.margin,
        present.documents,
        present.last_updated_at,
        present.seen_at,
        -- A clock that was set back would put the new version before the one it follows.
        case
            when newest.dbt_valid_from >= cast($build_moment as timestamp) then newest.dbt_valid_from + interval '1 microsecond'
            else cast($build_moment as timestamp)
        end as dbt_valid_from
    from present
    full outer join newest
        on newest.shop_id = present.shop_id and newest.effect_key = present.effect_key
    where present.content is distinct from newest.content
