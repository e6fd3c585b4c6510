-- path: models/marts/shop_days.sql
-- kind: table
-- schema: marts
-- table: shop_days
-- tests: grain_shop_days_shop_id__day

-- A row for every day of the shop's calendar up to today, so that a day without business is a zero
-- and the day before stands beside each. Reports, page and notebooks add these rows up.

with shops as (
    select shop_id, timezone, today, (extract(hour from case when timezone = cast(getvariable('usual_zone') as varchar) then case when 'UTC' = cast(getvariable('usual_zone') as varchar) then built_at at time zone cast(getvariable('usual_zone') as varchar) else built_at at time zone 'UTC' end at time zone cast(getvariable('usual_zone') as varchar) else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then built_at at time zone cast(getvariable('usual_zone') as varchar) else built_at at time zone 'UTC' end at time zone timezone end) * 60 + extract(minute from case when timezone = cast(getvariable('usual_zone') as varchar) then case when 'UTC' = cast(getvariable('usual_zone') as varchar) then built_at at time zone cast(getvariable('usual_zone') as varchar) else built_at at time zone 'UTC' end at time zone cast(getvariable('usual_zone') as varchar) else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then built_at at time zone cast(getvariable('usual_zone') as varchar) else built_at at time zone 'UTC' end at time zone timezone end)) as minute_now
    from "intermediate"."int_shops"
),

taken as (
    select
        payments.shop_id, payments.day,
        sum(amount) as taken,
        sum(case when kind_chosen = 'sale' then amount else 0 end) as sales,
        sum(case when kind_chosen = 'receivable' then amount else 0 end) as receivables,
        sum(case when kind_chosen = 'advance' then amount else 0 end) as advances,
        sum(case when kind_chosen = 'refund' then amount else 0 end) as refunds,
        sum(case when kind = 'sale' then amount else 0 end) as sales_by_invoice,
        sum(case when kind_by_ticket = 'sale' then amount else 0 end) as sales_by_ticket,
        sum(case when kind = 'receivable' then amount else 0 end) as receivables_by_invoice,
        sum(case when kind_by_ticket = 'receivable' then amount else 0 end) as receivables_by_ticket,
        sum(case when document_type = 'pos_order' then amount else 0 end) as taken_counter,
        sum(case when document_type = 'ticket_invoice' or (document_type is null and ticket_id is not null)
            then amount else 0 end) as taken_repairs,
        sum(case when document_type is null and ticket_id is null then amount else 0 end) as taken_unassigned,
        count(amount) as payments,
        count(*) - count(amount) as unreadable_payments
    from "marts"."payments" as payments
    
    group by 1, 2
),

sold as (
    select
        effects.shop_id, effects.day,
        sum(coalesce(total, 0)) as sold,
        sum(case when document_type = 'ticket_invoice' then coalesce(total, 0) else 0 end) as sold_repairs,
        sum(case when document_type = 'pos_order' then coalesce(total, 0) else 0 end) as sold_counter,
        sum(case when effect = 'return' then coalesce(total, 0) else 0 end) as returned,
        sum(coalesce(tax, 0)) as tax,
        sum(coalesce(cost, 0)) as cost,
        sum(coalesce(margin, 0)) as margin,
        sum(uncosted) as uncosted,
        sum(case when effect = 'return' then 0 else documents end) as documents
    from "intermediate"."int_sales_effects" as effects
    
    group by 1, 2
),

opened as (
    select tickets.shop_id, tickets.opened_day as day, count(*) as tickets
    from "marts"."tickets" as tickets
    
    group by 1, 2
),

closed as (
    select tickets.shop_id, tickets.done_day as day, count(*) as tickets
    from (select * from "marts"."tickets" where is_done) as tickets
    
    group by 1, 2
),

spent as (
    select shop_id, created_day as day, sum(cost) as expenses
    from "marts"."purchase_documents"
    where effect = 'expense'
    group by 1, 2
),

unread as (
    select shop_id, effect_day as day, count(*) as documents
    from "marts"."sales_documents"
    where gross is null
    group by 1, 2
),

calendar as (
    select calendar.*
    from "marts"."calendar" as calendar
    inner join shops on shops.shop_id = calendar.shop_id
    where calendar.day <= shops.today
),

bounds as (
    select shop_id, min(day) as first_day from calendar group by 1
),

unpaid as (
    select shop_id, opened_day as day, count(*) as tickets, sum(coalesce(due, 0)) as due
    from "marts"."unpaid_tickets"
    group by 1, 2
),

-- What a document owes changes on the day it is made, on which something of it is returned, or paid.
due_changes as (
    select shop_id, document_type, document_id, created_day as day, gross as amount
    from "marts"."documents"
    union all
    select shop_id, document_type, document_id, greatest(coalesce(effect_day, document_day), document_day), gross
    from "marts"."sales_documents"
    where effect = 'return'
    union all
    select shop_id, document_type, document_id, greatest(coalesce(day, document_day), document_day), -amount
    from "intermediate"."int_document_payments"
),

-- Most documents are paid on the day they are made, and owe nothing at its end.
due_days as (
    select shop_id, document_type, document_id, day, sum(amount) as amount
    from due_changes
    where day is not null
    group by 1, 2, 3, 4
    having sum(amount) <> 0
),

owed as (
    select
        due_days.shop_id,
        documents.created_day,
        due_days.day,
        sum(due_days.amount) over (
            partition by due_days.shop_id, due_days.document_type, due_days.document_id order by due_days.day
        ) as due,
        lead(due_days.day) over (
            partition by due_days.shop_id, due_days.document_type, due_days.document_id order by due_days.day
        ) as until_day
    from due_days
    inner join "marts"."documents" as documents on documents.shop_id = due_days.shop_id
        and documents.document_type = due_days.document_type
        and documents.document_id = due_days.document_id
    -- A document of an unknown amount cannot be called due.
    where documents.gross is not null
),

-- By age: from the day a document comes to an age, or begins to owe, to the day it leaves it or owes otherwise.
aged as (
    select
        shop_id, 'due_to_30' as age, due,
        greatest(day, cast(

    (created_day + cast(0 as bigint) * interval 1 day) as date)) as day,
        least(coalesce(until_day, cast(

    (created_day + cast(31 as bigint) * interval 1 day) as date)),
            cast(

    (created_day + cast(31 as bigint) * interval 1 day) as date)) as until_day
    from owed
    -- Below a cent nothing is owed.
    where due >= 0.01
    union all
    select
        shop_id, 'due_31_to_60' as age, due,
        greatest(day, cast(

    (created_day + cast(31 as bigint) * interval 1 day) as date)) as day,
        least(coalesce(until_day, cast(

    (created_day + cast(61 as bigint) * interval 1 day) as date)),
            cast(

    (created_day + cast(61 as bigint) * interval 1 day) as date)) as until_day
    from owed
    -- Below a cent nothing is owed.
    where due >= 0.01
    union all
    select
        shop_id, 'due_61_to_90' as age, due,
        greatest(day, cast(

    (created_day + cast(61 as bigint) * interval 1 day) as date)) as day,
        least(coalesce(until_day, cast(

    (created_day + cast(91 as bigint) * interval 1 day) as date)),
            cast(

    (created_day + cast(91 as bigint) * interval 1 day) as date)) as until_day
    from owed
    -- Below a cent nothing is owed.
    where due >= 0.01
    union all
    select
        shop_id, 'due_over_90' as age, due,
        greatest(day, cast(

    (created_day + cast(91 as bigint) * interval 1 day) as date)) as day,
        until_day
    from owed
    -- Below a cent nothing is owed.
    where due >= 0.01
    
),

standing_changes as (
    select shop_id, day, age, due, 1 as documents, 0 as tickets, 0 as unassigned
    from aged where until_day is null or day < until_day
    union all
    select shop_id, until_day as day, age, -due, -1, 0, 0
    from aged where day < until_day
    union all
    select shop_id, opened_day as day, null, 0, 0, 1, case when is_unassigned then 1 else 0 end
    from "marts"."tickets"
    where done_day is not null or not is_done
    union all
    select shop_id, greatest(done_day, opened_day) as day, null, 0, 0, -1, case when is_unassigned then -1 else 0 end
    from "marts"."tickets"
    where is_done and done_day is not null
),

-- What is dated before the calendar begins stands from its first day on.
standing as (
    select
        changes.shop_id,
        greatest(changes.day, bounds.first_day) as day,
        sum(case when age = 'due_to_30' then due else 0 end) as due_to_30,
        sum(case when age = 'due_31_to_60' then due else 0 end) as due_31_to_60,
        sum(case when age = 'due_61_to_90' then due else 0 end) as due_61_to_90,
        sum(case when age = 'due_over_90' then due else 0 end) as due_over_90,
        sum(documents) as documents_due,
        sum(tickets) as tickets_open,
        sum(unassigned) as tickets_without_technician
    from standing_changes as changes
    inner join bounds on bounds.shop_id = changes.shop_id
    where changes.day is not null
    group by 1, 2
),

days as (
    select
        calendar.*,
        sum(coalesce(standing.due_to_30, 0)) over (partition by calendar.shop_id order by calendar.day) as due_to_30,
        sum(coalesce(standing.due_31_to_60, 0)) over (partition by calendar.shop_id order by calendar.day) as due_31_to_60,
        sum(coalesce(standing.due_61_to_90, 0)) over (partition by calendar.shop_id order by calendar.day) as due_61_to_90,
        sum(coalesce(standing.due_over_90, 0)) over (partition by calendar.shop_id order by calendar.day) as due_over_90,
        sum(coalesce(standing.documents_due, 0)) over (partition by calendar.shop_id order by calendar.day) as documents_due,
        sum(coalesce(standing.tickets_open, 0)) over (partition by calendar.shop_id order by calendar.day) as tickets_open,
        sum(coalesce(standing.tickets_without_technician, 0)) over (partition by calendar.shop_id order by calendar.day) as tickets_without_technician,
        coalesce(unpaid.tickets, 0) as tickets_unpaid,
        coalesce(unpaid.due, 0) as unpaid,
        cast(coalesce(taken.taken, 0) as decimal(28, 4)) as taken,
        cast(coalesce(taken.sales, 0) as decimal(28, 4)) as sales,
        cast(coalesce(taken.receivables, 0) as decimal(28, 4)) as receivables,
        cast(coalesce(taken.advances, 0) as decimal(28, 4)) as advances,
        cast(coalesce(taken.refunds, 0) as decimal(28, 4)) as refunds,
        cast(coalesce(taken.taken_repairs, 0) as decimal(28, 4)) as taken_repairs,
        cast(coalesce(taken.taken_counter, 0) as decimal(28, 4)) as taken_counter,
        cast(coalesce(taken.taken_unassigned, 0) as decimal(28, 4)) as taken_unassigned,
        cast(coalesce(taken.sales_by_invoice, 0) as decimal(28, 4)) as sales_by_invoice,
        cast(coalesce(taken.receivables_by_invoice, 0) as decimal(28, 4)) as receivables_by_invoice,
        cast(coalesce(taken.sales_by_ticket, 0) as decimal(28, 4)) as sales_by_ticket,
        cast(coalesce(taken.receivables_by_ticket, 0) as decimal(28, 4)) as receivables_by_ticket,
        cast(coalesce(sold.sold, 0) as decimal(28, 4)) as sold,
        cast(coalesce(sold.sold_repairs, 0) as decimal(28, 4)) as sold_repairs,
        cast(coalesce(sold.sold_counter, 0) as decimal(28, 4)) as sold_counter,
        cast(coalesce(sold.returned, 0) as decimal(28, 4)) as returned,
        cast(coalesce(sold.tax, 0) as decimal(28, 4)) as tax,
        cast(coalesce(sold.cost, 0) as decimal(28, 4)) as cost,
        cast(coalesce(sold.margin, 0) as decimal(28, 4)) as margin,
        cast(coalesce(sold.uncosted, 0) as decimal(28, 4)) as uncosted,
        cast(coalesce(spent.expenses, 0) as decimal(28, 4)) as expenses,
        cast(coalesce(taken.payments, 0) as bigint) as payments,
        cast(coalesce(taken.unreadable_payments, 0) as bigint) as unreadable_payments,
        cast(coalesce(unread.documents, 0) as bigint) as unreadable_documents,
        cast(coalesce(sold.documents, 0) as bigint) as documents,
        cast(coalesce(opened.tickets, 0) as bigint) as tickets_opened,
        cast(coalesce(closed.tickets, 0) as bigint) as tickets_closed
    from calendar
    left join taken on taken.shop_id = calendar.shop_id and taken.day = calendar.day
    left join sold on sold.shop_id = calendar.shop_id and sold.day = calendar.day
    left join opened on opened.shop_id = calendar.shop_id and opened.day = calendar.day
    left join closed on closed.shop_id = calendar.shop_id and closed.day = calendar.day
    left join spent on spent.shop_id = calendar.shop_id and spent.day = calendar.day
    left join unread on unread.shop_id = calendar.shop_id and unread.day = calendar.day
    left join unpaid on unpaid.shop_id = calendar.shop_id and unpaid.day = calendar.day
    left join standing on standing.shop_id = calendar.shop_id and standing.day = calendar.day
)

select
    days.shop_id,
    days.day,
    days.month,
    days.is_open,
    days.is_business_day,
    days.is_today,
    days.taken,
    days.sales,
    days.receivables,
    days.advances,
    days.refunds,
    days.taken_repairs,
    days.taken_counter,
    days.taken_unassigned,
    days.sales_by_invoice,
    days.receivables_by_invoice,
    days.sales_by_ticket,
    days.receivables_by_ticket,
    days.sold,
    days.sold_repairs,
    days.sold_counter,
    days.returned,
    days.tax,
    days.cost,
    days.margin,
    days.uncosted,
    days.expenses,
    days.payments,
    days.unreadable_payments,
    days.unreadable_documents,
    days.documents,
    days.tickets_opened,
    days.tickets_closed,
    cast(days.unpaid as decimal(28, 4)) as unpaid,
    cast(days.due_to_30 as decimal(28, 4)) as due_to_30,
    cast(days.due_31_to_60 as decimal(28, 4)) as due_31_to_60,
    cast(days.due_61_to_90 as decimal(28, 4)) as due_61_to_90,
    cast(days.due_over_90 as decimal(28, 4)) as due_over_90,
    cast(days.due_to_30 + days.due_31_to_60 + days.due_61_to_90 + days.due_over_90 as decimal(28, 4)) as due,
    cast(days.documents_due as bigint) as documents_due,
    cast(days.tickets_open as bigint) as tickets_open,
    cast(days.tickets_without_technician as bigint) as tickets_without_technician,
    cast(days.tickets_unpaid as bigint) as tickets_unpaid,
    days.last_open_day,
    yesterdays.taken as taken_day_before,
    yesterdays.sold as sold_day_before,
    yesterdays.tickets_opened as tickets_opened_day_before,
    yesterdays.tickets_closed as tickets_closed_day_before,
    earlier.taken as taken_open_day_before,
    earlier.sold as sold_open_day_before,
    earlier.tickets_opened as tickets_opened_open_day_before,
    earlier.tickets_closed as tickets_closed_open_day_before
    
from days
left join days as yesterdays
    on yesterdays.shop_id = days.shop_id
    and yesterdays.day = cast(

    (days.day + cast(-1 as bigint) * interval 1 day) as date)
left join days as earlier
    on earlier.shop_id = days.shop_id and earlier.day = days.last_open_day
