-- path: models/marts/shop_days_so_far.sql
-- kind: view
-- schema: marts
-- table: shop_days_so_far

-- The same as shop_days, of each day only what had happened by the time of day of this build. A view:
-- a report of a running day asks it for the few days that it is compared with.

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
    inner join shops on shops.shop_id = payments.shop_id
    where payments.paid_at is null
        or cast(case when shops.timezone = cast(getvariable('usual_zone') as varchar) then payments.paid_at at time zone cast(getvariable('usual_zone') as varchar) else payments.paid_at at time zone shops.timezone end as date) <> payments.day
        or (extract(hour from case when shops.timezone = cast(getvariable('usual_zone') as varchar) then payments.paid_at at time zone cast(getvariable('usual_zone') as varchar) else payments.paid_at at time zone shops.timezone end) * 60 + extract(minute from case when shops.timezone = cast(getvariable('usual_zone') as varchar) then payments.paid_at at time zone cast(getvariable('usual_zone') as varchar) else payments.paid_at at time zone shops.timezone end)) <= shops.minute_now
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
    inner join shops on shops.shop_id = effects.shop_id
    where effects.happened_at is null
        or cast(case when shops.timezone = cast(getvariable('usual_zone') as varchar) then effects.happened_at at time zone cast(getvariable('usual_zone') as varchar) else effects.happened_at at time zone shops.timezone end as date) <> effects.day
        or (extract(hour from case when shops.timezone = cast(getvariable('usual_zone') as varchar) then effects.happened_at at time zone cast(getvariable('usual_zone') as varchar) else effects.happened_at at time zone shops.timezone end) * 60 + extract(minute from case when shops.timezone = cast(getvariable('usual_zone') as varchar) then effects.happened_at at time zone cast(getvariable('usual_zone') as varchar) else effects.happened_at at time zone shops.timezone end)) <= shops.minute_now
    group by 1, 2
),

opened as (
    select tickets.shop_id, tickets.opened_day as day, count(*) as tickets
    from "marts"."tickets" as tickets
    inner join shops on shops.shop_id = tickets.shop_id
    where tickets.opened_at is null
        or cast(case when shops.timezone = cast(getvariable('usual_zone') as varchar) then tickets.opened_at at time zone cast(getvariable('usual_zone') as varchar) else tickets.opened_at at time zone shops.timezone end as date) <> tickets.opened_day
        or (extract(hour from case when shops.timezone = cast(getvariable('usual_zone') as varchar) then tickets.opened_at at time zone cast(getvariable('usual_zone') as varchar) else tickets.opened_at at time zone shops.timezone end) * 60 + extract(minute from case when shops.timezone = cast(getvariable('usual_zone') as varchar) then tickets.opened_at at time zone cast(getvariable('usual_zone') as varchar) else tickets.opened_at at time zone shops.timezone end)) <= shops.minute_now
    group by 1, 2
),

closed as (
    select tickets.shop_id, tickets.done_day as day, count(*) as tickets
    from (select * from "marts"."tickets" where is_done) as tickets
    inner join shops on shops.shop_id = tickets.shop_id
    where tickets.done_at is null
        or cast(case when shops.timezone = cast(getvariable('usual_zone') as varchar) then tickets.done_at at time zone cast(getvariable('usual_zone') as varchar) else tickets.done_at at time zone shops.timezone end as date) <> tickets.done_day
        or (extract(hour from case when shops.timezone = cast(getvariable('usual_zone') as varchar) then tickets.done_at at time zone cast(getvariable('usual_zone') as varchar) else tickets.done_at at time zone shops.timezone end) * 60 + extract(minute from case when shops.timezone = cast(getvariable('usual_zone') as varchar) then tickets.done_at at time zone cast(getvariable('usual_zone') as varchar) else tickets.done_at at time zone shops.timezone end)) <= shops.minute_now
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
)

select
    calendar.shop_id,
    calendar.day,
    shops.minute_now as until_minute,
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
from "marts"."calendar" as calendar
inner join shops on shops.shop_id = calendar.shop_id
    left join taken on taken.shop_id = calendar.shop_id and taken.day = calendar.day
    left join sold on sold.shop_id = calendar.shop_id and sold.day = calendar.day
    left join opened on opened.shop_id = calendar.shop_id and opened.day = calendar.day
    left join closed on closed.shop_id = calendar.shop_id and closed.day = calendar.day
    left join spent on spent.shop_id = calendar.shop_id and spent.day = calendar.day
    left join unread on unread.shop_id = calendar.shop_id and unread.day = calendar.day
where calendar.day <= shops.today
