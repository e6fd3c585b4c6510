-- path: models/marts/ticket_statuses.sql
-- kind: table
-- schema: marts
-- table: ticket_statuses
-- tests: grain_ticket_statuses_shop_id__ticket_id__first_seen_at

-- The statuses each ticket was seen in, from the versions the nightly snapshots kept.
with versions as (
    select
        shop_id, id as ticket_id, status_id, status_label,
        cast(dbt_valid_from as timestamp) as first_seen_at,
        lag(status_label) over (partition by shop_id, id order by dbt_valid_from) as status_before,
        lag(status_id) over (partition by shop_id, id order by dbt_valid_from) as status_id_before,
        row_number() over (partition by shop_id, id order by dbt_valid_from) as version
    from "history"."tickets_versions"
)

select
    versions.shop_id,
    versions.ticket_id,
    versions.status_id,
    versions.status_label,
    versions.status_before,
    case when 'UTC' = cast(getvariable('usual_zone') as varchar) then versions.first_seen_at at time zone cast(getvariable('usual_zone') as varchar) else versions.first_seen_at at time zone 'UTC' end as first_seen_at,
    -- The first version is when we first looked, not when the ticket took that status.
    versions.version = 1 as is_first_sight,
    coalesce(statuses.is_done, false) as is_done
from versions
left join "ops"."statuses" as statuses on statuses.shop_id = versions.shop_id
        and statuses.status_id = coalesce(versions.status_id, '')
        and statuses.label = coalesce(versions.status_label, '')
where versions.version = 1
    or coalesce(versions.status_label, '') <> coalesce(versions.status_before, '')
    or coalesce(versions.status_id, '') <> coalesce(versions.status_id_before, '')
