-- depends_on: {{ ref('int_tickets_before') }}
{% set key = {'shop_id': 'shop_id', 'id': 'id'} %}
{% set done_day = 'cast(visits.done_clock as date)' %}
{{ config(meta=replaced_by('int_changed_tickets', key)) }}
with tickets as (
    select
        found.*,
        {{ stands_for_the_shop('shops.shop_accounts', [
            'technician_id', 'technician_email', 'technician_first_name', 'technician_last_name',
            "concat(coalesce(technician_first_name, ''), ' ', coalesce(technician_last_name, ''))",
        ]) }} as is_shop_account
    from {{ ref('stg_tickets') }} as found
    inner join {{ ref('int_shops') }} as shops on shops.shop_id = found.shop_id
    where found.deleted_at is null and {{ is_changed('int_changed_tickets', 'found', key) }}
),

comments as (
    select shop_id, ticket_id, min(created_at) as first_at, count(*) as comments
    from {{ ref('stg_ticket_comments') }} as comments
    where deleted_at is null and ticket_id is not null
        and {{ is_changed('int_changed_tickets', 'comments', {'shop_id': 'shop_id', 'id': 'ticket_id'}) }}
    group by 1, 2
),

timers as (
    select
        shop_id, ticket_id, min(start_at) as first_at,
        sum(greatest({{ seconds_between('start_at', 'end_at') }}, 0)) as seconds
    from {{ ref('stg_ticket_timers') }} as timers
    where deleted_at is null and ticket_id is not null
        and {{ is_changed('int_changed_tickets', 'timers', {'shop_id': 'shop_id', 'id': 'ticket_id'}) }}
    group by 1, 2
),

changes as (
    select
        shop_id, ticket_id,
        min(seen_from) as first_change_at,
        min(case when is_done then seen_from end) as done_at,
        count(*) as changes
    from {{ ref('ticket_statuses') }} as statuses
    where not is_first_sight and {{ is_changed('int_changed_tickets', 'statuses', {'shop_id': 'shop_id', 'id': 'ticket_id'}) }}
    group by 1, 2
),

invoices as (
    select
        shop_id, ticket_id,
        min(created_at) as first_at,
        count(*) as invoices,
        sum(gross - returned) as invoiced,
        sum(due) as due,
        max(last_payment_day) as last_payment_day,
        sum(case when is_paid then 0 else 1 end) as unpaid
    from {{ ref('documents') }} as documents
    where ticket_id is not null and {{ is_changed('int_changed_tickets', 'documents', {'shop_id': 'shop_id', 'id': 'ticket_id'}) }}
    group by 1, 2
),

seen as (
    select
        tickets.*,
        shops.timezone,
        shops.today,
        coalesce(statuses.is_closed, false) as is_closed,
        coalesce(statuses.is_done, false) as is_done,
        coalesce(statuses.meaning, 'open') as status_meaning,
        comments.comments,
        timers.seconds,
        changes.done_at as seen_done_at,
        changes.changes,
        invoices.first_at as invoiced_at,
        invoices.invoices,
        invoices.invoiced,
        invoices.due,
        invoices.unpaid,
        invoices.last_payment_day,
        comments.first_at as comment_at,
        timers.first_at as timer_at,
        changes.first_change_at as change_at
    from tickets
    inner join {{ ref('int_shops') }} as shops on shops.shop_id = tickets.shop_id
    left join {{ source('ops', 'statuses') }} as statuses on {{ same_status('statuses', 'tickets') }}
    left join comments on comments.shop_id = tickets.shop_id and comments.ticket_id = tickets.id
    left join timers on timers.shop_id = tickets.shop_id and timers.ticket_id = tickets.id
    left join changes on changes.shop_id = tickets.shop_id and changes.ticket_id = tickets.id
    left join invoices on invoices.shop_id = tickets.shop_id and invoices.ticket_id = tickets.id
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
),

local as (
    select
        dated.*,
        {{ local_time('dated.created_at', 'dated.timezone') }} as created_clock,
        {{ local_time('dated.done_at', 'dated.timezone') }} as done_clock,
        {{ local_date('dated.first_touched_at', 'dated.timezone') }} as first_touched_day
    from dated
),

-- Apart from all else of a ticket, which would be sorted along.
earlier as (
    select
        shop_id, id,
        lag(cast(done_clock as date)) over (partition by shop_id, customer_id, device order by created_at, id) as done_day,
        lag(id) over (partition by shop_id, customer_id, device order by created_at, id) as ticket_id
    from local
    where customer_id is not null and device is not null
)

select
    visits.shop_id,
    visits.id,
    visits.ticket_ref,
    visits.ticket_no,
    visits.short_info,
    visits.customer_id,
    visits.customer_name,
    case when not visits.is_shop_account then visits.technician_id end as technician_id,
    case when not visits.is_shop_account then
        nullif(trim(concat(coalesce(visits.technician_first_name, ''), ' ', coalesce(visits.technician_last_name, ''))), '')
    end as technician,
    visits.technician_id is null or visits.is_shop_account as is_unassigned,
    visits.issue_type_id,
    visits.issue_type_label as issue_type,
    visits.device,
    visits.priority_label as priority,
    visits.status_id,
    visits.status_label as status,
    visits.is_done,
    visits.is_closed,
    visits.status_meaning = 'cancelled' as is_cancelled,
    visits.created_at as opened_at,
    visits.created_day as opened_day,
    visits.first_touched_at,
    visits.first_touched_day,
    visits.due_at as promised_at,
    visits.due_day as promised_day,
    visits.done_at,
    {{ done_day }} as done_day,
    visits.done_source,
    case when coalesce(visits.unpaid, 1) = 0 then visits.last_payment_day end as paid_day,
    visits.last_updated_at,
    case
        when visits.is_done and visits.done_at >= visits.created_at
            then cast(({{ open_minutes_until('visits.done_clock', 'done_days') }}
                - {{ open_minutes_until('visits.created_clock', 'opened_days') }}) / 60.0 as {{ money() }})
    end as cycle_hours,
    case
        when visits.is_done and visits.done_at >= visits.created_at
            then cast({{ seconds_between('visits.created_at', 'visits.done_at') }} / 3600.0 as {{ money() }})
    end as wall_hours,
    cast({{ dbt.datediff('visits.created_day', 'coalesce(' ~ done_day ~ ', visits.today)', 'day') }} as bigint) as age_days,
    case
        when visits.due_day is null then null
        else coalesce({{ done_day }}, visits.today) > visits.due_day
    end as is_late,
    coalesce(visits.changes, 0) as status_changes_seen,
    coalesce(visits.comments, 0) as comments,
    cast(coalesce(visits.seconds, 0) / 3600.0 as {{ money() }}) as timer_hours,
    coalesce(visits.invoices, 0) as invoices,
    cast(coalesce(visits.invoiced, 0) as {{ money() }}) as invoiced,
    cast(coalesce(visits.due, 0) as {{ money() }}) as due,
    -- The same customer with the same device within 30 days of being done.
    coalesce({{ dbt.datediff('earlier.done_day', 'visits.created_day', 'day') }} between 0 and 30, false) as is_comeback,
    case when {{ dbt.datediff('earlier.done_day', 'visits.created_day', 'day') }} between 0 and 30
        then earlier.ticket_id end as comeback_of
from local as visits
left join earlier on earlier.shop_id = visits.shop_id and earlier.id = visits.id
left join {{ ref('calendar') }} as opened_days
    on opened_days.shop_id = visits.shop_id and opened_days.day = visits.created_day
left join {{ ref('calendar') }} as done_days
    on done_days.shop_id = visits.shop_id and done_days.day = {{ done_day }}
