-- path: models/marts/receivables.sql
-- kind: table
-- schema: marts
-- table: receivables
-- tests: accepted_values_receivables_age_bucket__0_30__31_60__61_90__over_90, grain_receivables_shop_id__document_type__document_id

with owed as (
    select documents.*, shops.today
    from "marts"."documents" as documents
    inner join "intermediate"."int_shops" as shops on shops.shop_id = documents.shop_id
    -- Below a cent nothing is owed; a document of an unknown amount cannot be called due.
    where documents.due >= 0.01
),

aged as (
    select
        owed.*,
        
        (date_diff('day', created_day::timestamp, today::timestamp ))
     as age_days,
        
        (date_diff('day', coalesce(due_day, created_day)::timestamp, today::timestamp ))
     as days_overdue
    from owed
)

select
    shop_id,
    document_type,
    document_id,
    document_number,
    ticket_id,
    customer_id,
    customer_name,
    created_day,
    due_day,
    gross,
    returned,
    paid,
    due,
    cast(age_days as bigint) as age_days,
    cast(greatest(days_overdue, 0) as bigint) as days_overdue,
    case
        when age_days <= 30 then '0-30'
        when age_days <= 60 then '31-60'
        when age_days <= 90 then '61-90'
        else 'over 90'
    end as age_bucket,
    status,
    -- The service says paid, the payments say not: one of the two is wrong.
    is_paid as is_said_to_be_paid,
    today as as_of_day
from aged
