-- path: models/marts/customers.sql
-- kind: table
-- schema: marts
-- table: customers
-- tests: grain_customers_shop_id__id

with spent as (
    select
        shop_id, customer_id,
        sum(gross) as lifetime_value,
        sum(case when effect = 'return' then gross else 0 end) as returns,
        sum(case when effect = 'return' then 0 else 1 end) as documents,
        min(document_day) as first_document_day,
        max(document_day) as last_document_day
    from "marts"."sales_documents"
    where customer_id is not null
    group by 1, 2
),

repaired as (
    select
        shop_id, customer_id,
        count(*) as tickets,
        sum(case when is_done then 0 else 1 end) as open_tickets,
        sum(case when is_comeback then 1 else 0 end) as comebacks,
        min(opened_day) as first_ticket_day,
        max(opened_day) as last_ticket_day
    from "marts"."tickets"
    where customer_id is not null
    group by 1, 2
),

came as (
    select shop_id, customer_id, sum(visits) as visits from "intermediate"."int_customer_months" group by 1, 2
),

owed as (
    select shop_id, customer_id, sum(due) as due
    from "marts"."receivables"
    where customer_id is not null
    group by 1, 2
)

select
    customers.shop_id,
    customers.id,
    customers.ref,
    customers.name,
    customers.company,
    customers.group_name as customer_group,
    customers.email,
    customers.mobile,
    customers.city,
    customers.country,
    customers.created_day,
    least(
        coalesce(spent.first_document_day, repaired.first_ticket_day),
        coalesce(repaired.first_ticket_day, spent.first_document_day)
    ) as first_visit_day,
    greatest(
        coalesce(spent.last_document_day, repaired.last_ticket_day),
        coalesce(repaired.last_ticket_day, spent.last_document_day)
    ) as last_visit_day,
    cast(coalesce(came.visits, 0) as bigint) as visits,
    coalesce(came.visits > 1, false) as is_returning,
    cast(coalesce(spent.documents, 0) as bigint) as documents,
    cast(coalesce(repaired.tickets, 0) as bigint) as tickets,
    cast(coalesce(repaired.open_tickets, 0) as bigint) as open_tickets,
    cast(coalesce(repaired.comebacks, 0) as bigint) as comebacks,
    cast(coalesce(spent.lifetime_value, 0) as decimal(28, 4)) as lifetime_value,
    cast(coalesce(spent.returns, 0) as decimal(28, 4)) as returns,
    cast(coalesce(owed.due, 0) as decimal(28, 4)) as due,
    customers.credit_limit,
    customers.is_gdpr_compliant,
    customers.has_sms_consent,
    customers.has_print_consent,
    customers.has_email_marketing_consent,
    customers.has_email_notifications_consent
from "staging"."customers" as customers
left join spent on spent.shop_id = customers.shop_id and spent.customer_id = customers.id
left join repaired on repaired.shop_id = customers.shop_id and repaired.customer_id = customers.id
left join came on came.shop_id = customers.shop_id and came.customer_id = customers.id
left join owed on owed.shop_id = customers.shop_id and owed.customer_id = customers.id
where customers.deleted_at is null
