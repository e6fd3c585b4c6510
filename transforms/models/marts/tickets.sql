with tickets as (
    select
        work.*,
        cast(work.done_clock as date) as done_day,
        -- The name of today, also for tickets that were not read again since a person changed it.
        coalesce(users.name, {{ full_name('users.') }}, {{ full_name('work.technician_') }}) as technician,
        coalesce(work.customer_name, customers.name) as customer,
        coalesce(work.issue_type_label, issue_types.label, work.issue_type_id) as issue_type,
        {{ stands_for_the_shop('shop_accounts', [
            'technician_id', 'technician_email', 'technician_first_name', 'technician_last_name',
            full_name('work.technician_'), full_name('users.'),
        ]) }} as is_shop_account
    from {{ ref('int_ticket_work') }} as work
    {{ named_in('users', 'work', 'technician_id') }}
    {{ named_in('customers', 'work', 'customer_id') }}
    {{ named_in('issue_types', 'work', 'issue_type_id') }}
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
            then cast(({{ open_minutes_until('tickets.done_clock', 'done_days') }}
                - {{ open_minutes_until('tickets.created_clock', 'opened_days') }}) / 60.0 as {{ money() }})
    end as cycle_hours,
    case
        when tickets.is_done and tickets.done_at >= tickets.created_at
            then cast({{ seconds_between('tickets.created_at', 'tickets.done_at') }} / 3600.0 as {{ money() }})
    end as wall_hours,
    cast({{ dbt.datediff('tickets.created_day', 'coalesce(tickets.done_day, tickets.today)', 'day') }} as bigint) as age_days,
    case
        when tickets.due_day is null then null
        else coalesce(tickets.done_day, tickets.today) > tickets.due_day
    end as is_late,
    coalesce(tickets.changes, 0) as status_changes_seen,
    coalesce(tickets.comments, 0) as comments,
    cast(coalesce(tickets.seconds, 0) / 3600.0 as {{ money() }}) as timer_hours,
    coalesce(tickets.invoices, 0) as invoices,
    cast(coalesce(tickets.invoiced, 0) as {{ money() }}) as invoiced,
    cast(coalesce(tickets.due, 0) as {{ money() }}) as due,
    -- The same customer with the same device within 30 days of being done.
    coalesce({{ dbt.datediff('earlier.done_day', 'tickets.created_day', 'day') }} between 0 and 30, false) as is_comeback,
    case when {{ dbt.datediff('earlier.done_day', 'tickets.created_day', 'day') }} between 0 and 30
        then earlier.ticket_id end as comeback_of
from tickets
left join earlier on earlier.shop_id = tickets.shop_id and earlier.id = tickets.id
left join {{ ref('calendar') }} as opened_days
    on opened_days.shop_id = tickets.shop_id and opened_days.day = tickets.created_day
left join {{ ref('calendar') }} as done_days
    on done_days.shop_id = tickets.shop_id and done_days.day = tickets.done_day
