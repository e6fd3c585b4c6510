-- path: models/marts/appointments.sql
-- kind: table
-- schema: marts
-- table: appointments
-- tests: accepted_values_appointments_outcome__upcoming__kept__no_show__cancelled__unknown, grain_appointments_shop_id__id

with visits as (
    
    select shop_id, customer_id, opened_day as day
    from "marts"."tickets"
    where customer_id in (select customer_id from "staging"."appointments" where customer_id >= '')
    union
    
    select shop_id, customer_id, created_day as day
    from "marts"."documents"
    where customer_id in (select customer_id from "staging"."appointments" where customer_id >= '')
    
    
),

traced as (
    select
        appointments.*,
        named.ticket_id as of_ticket_id,
        coalesce(appointments.customer_name, customers.name) as customer,
        shops.today,
        visits.day is not null as has_visit
    from "staging"."appointments" as appointments
    inner join "intermediate"."int_shops" as shops on shops.shop_id = appointments.shop_id
    left join visits
        on visits.shop_id = appointments.shop_id
        and visits.customer_id = appointments.customer_id
        and visits.day = appointments.start_day
    left join "intermediate"."int_named_tickets" as named
    on named.record_type = 'appointments' and named.shop_id = appointments.shop_id and named.record_id = appointments.id
    left join "staging"."customers" as customers on customers.shop_id = appointments.shop_id and customers.id = appointments.customer_id
    where appointments.deleted_at is null
)

select
    shop_id,
    id,
    subject,
    type,
    status,
    start_at,
    start_day,
    end_at,
    duration,
    of_ticket_id as ticket_id,
    customer_id,
    customer as customer_name,
    lead_id,
    created_day,
    cast(
        (date_diff('day', created_day::timestamp, start_day::timestamp ))
     as bigint) as notice_days,
    case
        when lower(replace(replace(status, '-', ' '), '_', ' ')) in ('no show', 'noshow', 'missed') then 'no_show'
        when lower(status) in ('cancelled', 'canceled') then 'cancelled'
        when lower(status) in ('completed', 'done', 'kept', 'attended', 'closed') then 'kept'
        when start_day is null then 'unknown'
        when start_day >= today then 'upcoming'
        when of_ticket_id is not null or has_visit then 'kept'
        -- Nothing says that they came, and nothing that they did not.
        else 'unknown'
    end as outcome
from traced
