with visits as (
    {% for mart, day in [('tickets', 'opened_day'), ('documents', 'created_day')] %}
    select shop_id, customer_id, {{ day }} as day
    from {{ ref(mart) }}
    where customer_id in (select customer_id from {{ ref('stg_appointments') }} where customer_id >= '')
    {{ 'union' if not loop.last }}
    {% endfor %}
),

traced as (
    select
        appointments.*,
        named.ticket_id as of_ticket_id,
        coalesce(appointments.customer_name, customers.name) as customer,
        shops.today,
        visits.day is not null as has_visit
    from {{ ref('stg_appointments') }} as appointments
    inner join {{ ref('int_shops') }} as shops on shops.shop_id = appointments.shop_id
    left join visits
        on visits.shop_id = appointments.shop_id
        and visits.customer_id = appointments.customer_id
        and visits.day = appointments.start_day
    {{ ticket_named_in('appointments', 'appointments') }}
    {{ named_in('customers', 'appointments', 'customer_id') }}
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
    cast({{ dbt.datediff('created_day', 'start_day', 'day') }} as bigint) as notice_days,
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
