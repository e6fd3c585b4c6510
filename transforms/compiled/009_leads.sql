-- path: models/marts/leads.sql
-- kind: table
-- schema: marts
-- table: leads
-- tests: grain_leads_shop_id__id

with met as (
    select shop_id, lead_id, count(*) as appointments, min(start_day) as first_appointment_day
    from "staging"."appointments"
    where deleted_at is null and lead_id is not null
    group by 1, 2
)

select
    leads.shop_id,
    leads.id,
    leads.name,
    leads.business_name,
    leads.subject,
    leads.referred_by,
    leads.issue_type_label as issue_type,
    leads.user_id,
    leads.customer_id,
    named.ticket_id,
    leads.status,
    -- The order of the specification's list of lead statuses (States and transitions).
    case lower(trim(leads.status))
        when 'new' then 1
        when 'lead' then 2
        when 'first contact' then 3
        when 'opportunity' then 4
        when 'prospect' then 5
        when 'waiting on customer' then 6
        when 'in negotiation' then 7
        when 'pending' then 8
        when 'won' then 9
        when 'lost' then 10
    end as stage,
    coalesce(lower(trim(leads.status)) = 'won', false) or named.ticket_id is not null as is_won,
    coalesce(lower(trim(leads.status)) = 'lost', false) as is_lost,
    leads.created_day,
    leads.last_updated_day,
    cast(
        (date_diff('day', leads.created_day::timestamp, shops.today::timestamp ))
     as bigint) as age_days,
    cast(coalesce(met.appointments, 0) as bigint) as appointments,
    met.first_appointment_day,
    cast(coalesce(tickets.invoiced, 0) as decimal(28, 4)) as revenue
from "staging"."leads" as leads
inner join "intermediate"."int_shops" as shops on shops.shop_id = leads.shop_id
left join met on met.shop_id = leads.shop_id and met.lead_id = leads.id
left join "intermediate"."int_named_tickets" as named
    on named.record_type = 'leads' and named.shop_id = leads.shop_id and named.record_id = leads.id
left join "marts"."tickets" as tickets
    on tickets.shop_id = leads.shop_id and tickets.id = named.ticket_id
where leads.deleted_at is null
