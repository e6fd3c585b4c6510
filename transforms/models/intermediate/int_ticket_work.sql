-- Each ticket that exists, what was done on it, and when it was done with: comments, timers, changes of status,
-- invoices.
with comments as (
    select comments.shop_id, named.ticket_id, min(comments.created_at) as first_at, count(*) as comments
    from {{ ref('stg_ticket_comments') }} as comments
    {{ ticket_named_in('ticket_comments', 'comments') }}
    where comments.deleted_at is null and named.ticket_id is not null
    group by 1, 2
),

timers as (
    select
        timers.shop_id, named.ticket_id, min(start_at) as first_at,
        sum(greatest({{ seconds_between('start_at', 'end_at') }}, 0)) as seconds
    from {{ ref('stg_ticket_timers') }} as timers
    {{ ticket_named_in('ticket_timers', 'timers') }}
    where timers.deleted_at is null and named.ticket_id is not null
    group by 1, 2
),

changes as (
    select
        seen.shop_id, seen.ticket_id,
        min(seen.first_seen_at) as first_change_at,
        min(case when seen.is_done then seen.first_seen_at end) as done_at,
        count(*) as changes
    from {{ ref('ticket_statuses') }} as seen
    inner join {{ ref('int_shops') }} as shops on shops.shop_id = seen.shop_id
    -- What a clock that was ahead dated in the future would be open until then.
    where not seen.is_first_sight and seen.first_seen_at <= {{ instant_of_wall_clock('shops.built_at', "'UTC'") }}
    group by 1, 2
),

invoices as (
    select
        shop_id, ticket_id,
        min(created_at) as first_at,
        count(*) as invoices,
        sum(coalesce(gross, 0) - returned) as invoiced,
        -- As in receivables: what one was paid too much takes nothing off another.
        sum(case when due >= 0.01 then due else 0 end) as due,
        max(last_payment_day) as last_payment_day,
        sum(case when is_paid then 0 else 1 end) as unpaid
    from {{ ref('documents') }}
    where ticket_id is not null
    group by 1, 2
),

seen as (
    select
        tickets.*,
        shops.timezone,
        shops.today,
        shops.shop_accounts,
        coalesce(statuses.label_now, tickets.status_label) as status_label_now,
        coalesce(statuses.is_closed, false) as is_closed,
        coalesce(statuses.is_done, false) as is_done,
        coalesce(statuses.meaning, 'open') as status_meaning,
        comments.first_at as comment_at,
        comments.comments,
        timers.first_at as timer_at,
        timers.seconds,
        changes.first_change_at as change_at,
        changes.done_at as seen_done_at,
        changes.changes,
        invoices.first_at as invoiced_at,
        invoices.invoices,
        invoices.invoiced,
        invoices.due,
        invoices.unpaid,
        invoices.last_payment_day
    from {{ ref('stg_tickets') }} as tickets
    inner join {{ ref('int_shops') }} as shops on shops.shop_id = tickets.shop_id
    left join {{ source('ops', 'statuses') }} as statuses on {{ same_status('statuses', 'tickets') }}
    left join comments on comments.shop_id = tickets.shop_id and comments.ticket_id = tickets.id
    left join timers on timers.shop_id = tickets.shop_id and timers.ticket_id = tickets.id
    left join changes on changes.shop_id = tickets.shop_id and changes.ticket_id = tickets.id
    left join invoices on invoices.shop_id = tickets.shop_id and invoices.ticket_id = tickets.id
    where tickets.deleted_at is null
),

-- The service tells no closing date. The best there is: the night we saw the status change, else
-- the invoice, else the last change of the ticket; `done_source` says which.
dated as (
    select
        seen.*,
        case
            when not is_done then null
            when seen_done_at is not null and seen_done_at < coalesce(invoiced_at, seen_done_at) then seen_done_at
            else coalesce(invoiced_at, seen_done_at, last_updated_at)
        end as done_at,
        case
            when not is_done then null
            when seen_done_at is not null and seen_done_at < coalesce(invoiced_at, seen_done_at) then 'history'
            when invoiced_at is not null then 'invoice'
            when seen_done_at is not null then 'history'
            when last_updated_at is not null then 'last_updated'
        end as done_source,
        least(
            coalesce(comment_at, timer_at, change_at),
            coalesce(timer_at, comment_at, change_at),
            coalesce(change_at, comment_at, timer_at)
        ) as first_touched_at
    from seen
)

select
    dated.*,
    {{ local_time('dated.created_at', 'dated.timezone') }} as created_clock,
    {{ local_time('dated.done_at', 'dated.timezone') }} as done_clock,
    {{ local_date('dated.first_touched_at', 'dated.timezone') }} as first_touched_day
from dated
