-- path: models/marts/technicians.sql
-- kind: table
-- schema: marts
-- table: technicians
-- tests: grain_technicians_shop_id__technician_key

with tickets as (
    select
        shop_id,
        coalesce(technician_id, 'unassigned') as technician_key,
        max(technician) as ticket_name,
        cast(count(*) as bigint) as tickets,
    cast(sum(case when is_done then 0 else 1 end) as bigint) as open_tickets,
    cast(sum(case when is_done then 1 else 0 end) as bigint) as done_tickets,
    cast(sum(invoiced) as decimal(28, 4)) as revenue,
    cast(cast(
        cast(floor(0.5 + percentile_cont(0.5) within group (
            order by cast(cycle_hours * 10000 as double precision)
        )) as bigint) * 0.0001 as decimal(28, 4)
    ) as decimal(28, 4)) as median_cycle_hours,
    cast(sum(case when is_unassigned then 1 else 0 end) * 1.0 / count(*) as decimal(28, 4)) as unassigned_share,
    cast(sum(case when is_late then 1 else 0 end) as bigint) as late_tickets,
    cast(sum(case when is_comeback then 1 else 0 end) as bigint) as comebacks,
    cast(sum(timer_hours) as decimal(28, 4)) as timer_hours,
    min(opened_day) as first_day,
    max(opened_day) as last_day
    from "marts"."tickets"
    group by 1, 2
),

hours as (
    select shop_id, user_id, sum(clock_hours) as clock_hours, sum(timer_hours) as own_timer_hours
    from "marts"."labour"
    group by 1, 2
),

sold as (
    select
        sales.shop_id,
        coalesce(tickets.technician_id, 'unassigned') as technician_key,
        sum(sales.margin) as margin,
        sum(sales.uncosted) as uncosted
    from "marts"."counted_sales" as sales
    inner join "marts"."tickets" as tickets
        on tickets.shop_id = sales.shop_id and tickets.id = sales.ticket_id
    group by 1, 2
),

keys as (
    select shop_id, technician_key from tickets
    union
    select shop_id, user_id as technician_key from hours
)

select
    keys.shop_id,
    keys.technician_key,
    case when keys.technician_key = 'unassigned' then null else keys.technician_key end as technician_id,
    coalesce(
        users.name,
        nullif(trim(concat(coalesce(users.first_name, ''), ' ', coalesce(users.last_name, ''))), ''),
        tickets.ticket_name
    ) as technician,
    coalesce(tickets.tickets, 0) as tickets,
    coalesce(tickets.open_tickets, 0) as open_tickets,
    coalesce(tickets.done_tickets, 0) as done_tickets,
    coalesce(tickets.revenue, 0) as revenue,
    cast(coalesce(sold.margin, 0) as decimal(28, 4)) as margin,
    cast(coalesce(sold.uncosted, 0) as decimal(28, 4)) as uncosted,
    tickets.median_cycle_hours,
    coalesce(tickets.late_tickets, 0) as late_tickets,
    -- Comebacks of tickets this technician now has; who had the first one is in `comeback_of`.
    coalesce(tickets.comebacks, 0) as comebacks,
    cast(coalesce(hours.own_timer_hours, 0) as decimal(28, 4)) as timer_hours,
    cast(coalesce(hours.clock_hours, 0) as decimal(28, 4)) as clock_hours,
    case when hours.clock_hours > 0
        then cast(hours.own_timer_hours / hours.clock_hours as decimal(28, 4)) end as timed_share,
    tickets.first_day,
    tickets.last_day
from keys
left join tickets on tickets.shop_id = keys.shop_id and tickets.technician_key = keys.technician_key
left join sold on sold.shop_id = keys.shop_id and sold.technician_key = keys.technician_key
left join hours on hours.shop_id = keys.shop_id and hours.user_id = keys.technician_key
left join "staging"."users" as users on users.shop_id = keys.shop_id and users.id = keys.technician_key
