-- The statuses each ticket was seen in, from the versions the nightly snapshots kept. A shop may rename a status:
-- the ticket is in the same one then.
with versions as (
    select
        seen.shop_id, seen.id as ticket_id, seen.status_id, seen.status_label,
        cast(seen.dbt_valid_from as timestamp) as first_seen_at,
        coalesce(statuses.label_now, seen.status_label, '') as label_now,
        coalesce(statuses.is_done, false) as is_done
    from {{ ref('hist_tickets_versions') }} as seen
    left join {{ source('ops', 'statuses') }} as statuses on {{ same_status('statuses', 'seen') }}
),

ordered as (
    select
        *,
        lag(status_label) over (partition by shop_id, ticket_id order by first_seen_at) as status_before,
        lag(label_now) over (partition by shop_id, ticket_id order by first_seen_at) as label_before,
        lag(status_id) over (partition by shop_id, ticket_id order by first_seen_at) as status_id_before,
        row_number() over (partition by shop_id, ticket_id order by first_seen_at) as version
    from versions
)

select
    shop_id,
    ticket_id,
    status_id,
    status_label,
    status_before,
    {{ instant_of_wall_clock('first_seen_at', "'UTC'") }} as first_seen_at,
    -- The first version is when we first looked, not when the ticket took that status.
    version = 1 as is_first_sight,
    is_done
from ordered
where version = 1
    or label_now <> label_before
    or coalesce(status_id, '') <> coalesce(status_id_before, '')
