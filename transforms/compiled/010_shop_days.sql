-- path: models/marts/shop_days.sql
-- kind: table
-- schema: marts
-- table: shop_days
-- tests: grain_shop_days_shop_id__day

-- A row for every day of the shop's calendar up to today, so that a day without business is a zero
-- and the day before stands beside each.
with taken as (
    select
        shop_id, day,
        sum(amount) as taken,
        sum(case when kind_chosen = 'sale' then amount else 0 end) as sales,
        sum(case when kind_chosen = 'receivable' then amount else 0 end) as receivables,
        sum(case when kind_chosen = 'advance' then amount else 0 end) as advances,
        sum(case when kind_chosen = 'refund' then amount else 0 end) as refunds,
        sum(case when kind = 'sale' then amount else 0 end) as sales_by_invoice,
        sum(case when kind = 'receivable' then amount else 0 end) as receivables_by_invoice,
        sum(case when kind_by_ticket = 'sale' then amount else 0 end) as sales_by_ticket,
        sum(case when kind_by_ticket = 'receivable' then amount else 0 end) as receivables_by_ticket,
        count(*) as payments
    from "marts"."payments"
    where amount is not null
    group by 1, 2
),

spent as (
    select shop_id, created_day as day, sum(cost) as expenses
    from "marts"."purchase_documents"
    where effect = 'expense'
    group by 1, 2
),

opened as (
    select shop_id, opened_day as day, count(*) as tickets from "marts"."tickets" group by 1, 2
),

closed as (
    select shop_id, done_day as day, count(*) as tickets
    from "marts"."tickets"
    where is_done
    group by 1, 2
),

unpaid as (
    select shop_id, opened_day as day, count(*) as tickets, sum(coalesce(due, 0)) as due
    from "marts"."unpaid_tickets"
    group by 1, 2
),

days as (
    select
        calendar.shop_id,
        calendar.day,
        calendar.month,
        calendar.is_open,
        calendar.is_today,
        calendar.last_open_day,
        coalesce(taken.taken, 0) as taken,
        coalesce(taken.sales, 0) as sales,
        coalesce(taken.receivables, 0) as receivables,
        coalesce(taken.advances, 0) as advances,
        coalesce(taken.refunds, 0) as refunds,
        coalesce(taken.sales_by_invoice, 0) as sales_by_invoice,
        coalesce(taken.receivables_by_invoice, 0) as receivables_by_invoice,
        coalesce(taken.sales_by_ticket, 0) as sales_by_ticket,
        coalesce(taken.receivables_by_ticket, 0) as receivables_by_ticket,
        coalesce(taken.payments, 0) as payments,
        coalesce(sold.total, 0) as sold,
        coalesce(sold.tax, 0) as tax,
        coalesce(sold.cost, 0) as cost,
        coalesce(sold.margin, 0) as margin,
        coalesce(spent.expenses, 0) as expenses,
        coalesce(opened.tickets, 0) as tickets_opened,
        coalesce(closed.tickets, 0) as tickets_closed,
        coalesce(unpaid.tickets, 0) as tickets_unpaid,
        coalesce(unpaid.due, 0) as unpaid
    from "marts"."calendar" as calendar
    inner join "intermediate"."int_shops" as shops on shops.shop_id = calendar.shop_id
    left join taken on taken.shop_id = calendar.shop_id and taken.day = calendar.day
    left join "marts"."daily_sales" as sold
        on sold.shop_id = calendar.shop_id and sold.day = calendar.day
    left join spent on spent.shop_id = calendar.shop_id and spent.day = calendar.day
    left join opened on opened.shop_id = calendar.shop_id and opened.day = calendar.day
    left join closed on closed.shop_id = calendar.shop_id and closed.day = calendar.day
    left join unpaid on unpaid.shop_id = calendar.shop_id and unpaid.day = calendar.day
    where calendar.day <= shops.today
)

select
    days.shop_id,
    days.day,
    days.month,
    days.is_open,
    days.is_today,
    cast(days.taken as decimal(28, 4)) as taken,
    cast(days.sales as decimal(28, 4)) as sales,
    cast(days.receivables as decimal(28, 4)) as receivables,
    cast(days.advances as decimal(28, 4)) as advances,
    cast(days.refunds as decimal(28, 4)) as refunds,
    cast(days.sales_by_invoice as decimal(28, 4)) as sales_by_invoice,
    cast(days.receivables_by_invoice as decimal(28, 4)) as receivables_by_invoice,
    cast(days.sales_by_ticket as decimal(28, 4)) as sales_by_ticket,
    cast(days.receivables_by_ticket as decimal(28, 4)) as receivables_by_ticket,
    cast(days.sold as decimal(28, 4)) as sold,
    cast(days.tax as decimal(28, 4)) as tax,
    cast(days.cost as decimal(28, 4)) as cost,
    cast(days.margin as decimal(28, 4)) as margin,
    cast(days.expenses as decimal(28, 4)) as expenses,
    cast(days.unpaid as decimal(28, 4)) as unpaid,
    cast(days.payments as bigint) as payments,
    cast(days.tickets_opened as bigint) as tickets_opened,
    cast(days.tickets_closed as bigint) as tickets_closed,
    cast(days.tickets_unpaid as bigint) as tickets_unpaid,
    days.last_open_day,
    cast(yesterdays.taken as decimal(28, 4)) as taken_day_before,
    cast(yesterdays.sold as decimal(28, 4)) as sold_day_before,
    cast(yesterdays.tickets_opened as bigint) as tickets_opened_day_before,
    cast(yesterdays.tickets_closed as bigint) as tickets_closed_day_before,
    cast(earlier.taken as decimal(28, 4)) as taken_last_open_day,
    cast(earlier.sold as decimal(28, 4)) as sold_last_open_day,
    cast(earlier.tickets_opened as bigint) as tickets_opened_last_open_day,
    cast(earlier.tickets_closed as bigint) as tickets_closed_last_open_day
    
from days
left join days as yesterdays
    on yesterdays.shop_id = days.shop_id
    and yesterdays.day = cast(

    (days.day + cast(-1 as bigint) * interval 1 day) as date)
left join days as earlier
    on earlier.shop_id = days.shop_id and earlier.day = days.last_open_day
