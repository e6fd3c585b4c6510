-- path: models/marts/tickets.sql
-- kind: table
-- schema: marts
-- table: tickets
-- tests: grain_tickets_shop_id__id

with tickets as (
    select
        work.*,
        cast(work.done_clock as date) as done_day,
        -- The name of today, also for tickets that were not read again since a person changed it.
        coalesce(users.name, nullif(trim(concat(coalesce(users.first_name, ''), ' ', coalesce(users.last_name, ''))), ''), nullif(trim(concat(coalesce(work.technician_first_name, ''), ' ', coalesce(work.technician_last_name, ''))), '')) as technician,
        coalesce(work.customer_name, customers.name) as customer,
        coalesce(work.issue_type_label, issue_types.label, work.issue_type_id) as issue_type,
        case when shop_accounts = '' then false else (
            

    position(
        concat(',', lower(trim(coalesce(technician_id, '?'))), ',') in shop_accounts
    ) > 0
            or 

    position(
        concat(',', lower(trim(coalesce(technician_email, '?'))), ',') in shop_accounts
    ) > 0
            or 

    position(
        concat(',', lower(trim(coalesce(technician_first_name, '?'))), ',') in shop_accounts
    ) > 0
            or 

    position(
        concat(',', lower(trim(coalesce(technician_last_name, '?'))), ',') in shop_accounts
    ) > 0
            or 

    position(
        concat(',', lower(trim(coalesce(nullif(trim(concat(coalesce(work.technician_first_name, ''), ' ', coalesce(work.technician_last_name, ''))), ''), '?'))), ',') in shop_accounts
    ) > 0
            or 

    position(
        concat(',', lower(trim(coalesce(nullif(trim(concat(coalesce(users.first_name, ''), ' ', coalesce(users.last_name, ''))), ''), '?'))), ',') in shop_accounts
    ) > 0
        ) end as is_shop_account
    from "intermediate"."int_ticket_work" as work
    left join "staging"."users" as users on users.shop_id = work.shop_id and users.id = work.technician_id
    left join "staging"."customers" as customers on customers.shop_id = work.shop_id and customers.id = work.customer_id
    left join "staging"."issue_types" as issue_types on issue_types.shop_id = work.shop_id and issue_types.id = work.issue_type_id
),

earlier as (
    select
        shop_id, id,
        -- Who takes a device away unrepaired brings it back under no warranty.
        lag(case when status_meaning <> 'cancelled' then done_day end) over (partition by shop_id, customer_id, device order by created_at, id) as done_day,
        lag(id) over (partition by shop_id, customer_id, device order by created_at, id) as ticket_id
    from tickets
    where customer_id is not null and device is not null
)

select
    tickets.shop_id,
    tickets.id,
    tickets.ticket_ref,
    tickets.ticket_no,
    tickets.short_info,
    tickets.customer_id,
    tickets.customer as customer_name,
    -- Who has a name and no id is known by the name.
    case when not tickets.is_shop_account then coalesce(tickets.technician_id, tickets.technician) end as technician_id,
    case when not tickets.is_shop_account then tickets.technician end as technician,
    coalesce(tickets.technician_id, tickets.technician) is null or tickets.is_shop_account as is_unassigned,
    tickets.issue_type_id,
    tickets.issue_type,
    tickets.device,
    tickets.priority_label as priority,
    tickets.status_id,
    tickets.status_label_now as status,
    tickets.is_done,
    tickets.is_closed,
    tickets.status_meaning = 'cancelled' as is_cancelled,
    tickets.created_at as opened_at,
    tickets.created_day as opened_day,
    tickets.first_touched_at,
    tickets.first_touched_day,
    tickets.due_at as promised_at,
    tickets.due_day as promised_day,
    tickets.done_at,
    tickets.done_day,
    tickets.done_source,
    case when coalesce(tickets.unpaid, 1) = 0 then tickets.last_payment_day end as paid_day,
    tickets.last_updated_at,
    case
        when tickets.is_done and tickets.done_at >= tickets.created_at
            then cast(((
            done_days.open_minutes_before
            + least(greatest(
                extract(hour from tickets.done_clock) * 60 + extract(minute from tickets.done_clock)
                - coalesce(done_days.opens_minute, 0), 0), done_days.open_minutes)
        )
                - (
            opened_days.open_minutes_before
            + least(greatest(
                extract(hour from tickets.created_clock) * 60 + extract(minute from tickets.created_clock)
                - coalesce(opened_days.opens_minute, 0), 0), opened_days.open_minutes)
        )) / 60.0 as decimal(28, 4))
    end as cycle_hours,
    case
        when tickets.is_done and tickets.done_at >= tickets.created_at
            then cast(date_diff('second', make_timestamp(epoch_us(tickets.created_at)), make_timestamp(epoch_us(tickets.done_at))) / 3600.0 as decimal(28, 4))
    end as wall_hours,
    cast(
        (date_diff('day', tickets.created_day::timestamp, coalesce(tickets.done_day, tickets.today)::timestamp ))
     as bigint) as age_days,
    case
        when tickets.due_day is null then null
        else coalesce(tickets.done_day, tickets.today) > tickets.due_day
    end as is_late,
    coalesce(tickets.changes, 0) as status_changes_seen,
    coalesce(tickets.comments, 0) as comments,
    cast(coalesce(tickets.seconds, 0) / 3600.0 as decimal(28, 4)) as timer_hours,
    coalesce(tickets.invoices, 0) as invoices,
    cast(coalesce(tickets.invoiced, 0) as decimal(28, 4)) as invoiced,
    cast(coalesce(tickets.due, 0) as decimal(28, 4)) as due,
    -- The same customer with the same device within 30 days of being done.
    coalesce(
        (date_diff('day', earlier.done_day::timestamp, tickets.created_day::timestamp ))
     between 0 and 30, false) as is_comeback,
    case when 
        (date_diff('day', earlier.done_day::timestamp, tickets.created_day::timestamp ))
     between 0 and 30
        then earlier.ticket_id end as comeback_of
from tickets
left join earlier on earlier.shop_id = tickets.shop_id and earlier.id = tickets.id
left join "marts"."calendar" as opened_days
    on opened_days.shop_id = tickets.shop_id and opened_days.day = tickets.created_day
left join "marts"."calendar" as done_days
    on done_days.shop_id = tickets.shop_id and done_days.day = tickets.done_day
