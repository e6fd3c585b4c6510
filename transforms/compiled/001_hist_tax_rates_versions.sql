-- path: models/history/hist_tax_rates_versions.sql
-- kind: incremental
-- schema: history
-- table: tax_rates_versions

select rows_now.*, cast($build_moment as timestamp) as dbt_valid_from from "staging"."tax_rates" as rows_now

-- later:
with present as (
        select rows_now.*, hash(shop_id, id, name, code, type, value, deleted_at, unreadable) as content from "staging"."tax_rates" as rows_now
    ),

    placed as (
        select
            shop_id, id, dbt_valid_from,
            case when seen_at is not null then hash(cast(shop_id as TEXT), cast(id as TEXT), cast(name as TEXT), cast(code as TEXT), cast(type as TEXT), cast(value as DECIMAL(28,4)), cast(deleted_at as TIMESTAMP WITH TIME ZONE), cast(unreadable as TEXT)) end as content,
            row_number() over (partition by shop_id, id order by dbt_valid_from desc) as place
        from "history"."tax_rates_versions"
    ),

    newest as (
        select * from placed where place = 1
    )

    select
        coalesce(present.shop_id, newest.shop_id) as shop_id,
        coalesce(present.id, newest.id) as id,
        present.name,
        present.code,
        present.type,
        present.value,
        present.seen_at,
        present.deleted_at,
        present.unreadable,
        -- A clock that was set back would put the new version before the one it follows.
        case
            when newest.dbt_valid_from >= cast($build_moment as timestamp) then newest.dbt_valid_from + interval '1 microsecond'
            else cast($build_moment as timestamp)
        end as dbt_valid_from
    from present
    left join newest
        on newest.shop_id = present.shop_id and newest.id = present.id
    where present.content is distinct from newest.content
