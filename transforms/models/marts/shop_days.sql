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
    from {{ ref('payments') }}
    where amount is not null
    group by 1, 2
),

spent as (
    select shop_id, created_day as day, sum(cost) as expenses
    from {{ ref('purchase_documents') }}
    where effect = 'expense'
    group by 1, 2
),

opened as (
    select shop_id, opened_day as day, count(*) as tickets from {{ ref('tickets') }} group by 1, 2
),

closed as (
    select shop_id, done_day as day, count(*) as tickets
    from {{ ref('tickets') }}
    where is_done
    group by 1, 2
),

unpaid as (
    select shop_id, opened_day as day, count(*) as tickets, sum(coalesce(due, 0)) as due
    from {{ ref('unpaid_tickets') }}
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
    from {{ ref('calendar') }} as calendar
    inner join {{ ref('int_shops') }} as shops on shops.shop_id = calendar.shop_id
    left join taken on taken.shop_id = calendar.shop_id and taken.day = calendar.day
    left join {{ ref('daily_sales') }} as sold
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
    {% for amount in [
        'taken', 'sales', 'receivables', 'advances', 'refunds', 'sales_by_invoice',
        'receivables_by_invoice', 'sales_by_ticket', 'receivables_by_ticket', 'sold', 'tax', 'cost',
        'margin', 'expenses', 'unpaid',
    ] -%}
    cast(days.{{ amount }} as {{ money() }}) as {{ amount }},
    {% endfor -%}
    cast(days.payments as bigint) as payments,
    cast(days.tickets_opened as bigint) as tickets_opened,
    cast(days.tickets_closed as bigint) as tickets_closed,
    cast(days.tickets_unpaid as bigint) as tickets_unpaid,
    days.last_open_day,
    {% for name, other in [('day_before', 'yesterdays'), ('last_open_day', 'earlier')] -%}
    cast({{ other }}.taken as {{ money() }}) as taken_{{ name }},
    cast({{ other }}.sold as {{ money() }}) as sold_{{ name }},
    cast({{ other }}.tickets_opened as bigint) as tickets_opened_{{ name }},
    cast({{ other }}.tickets_closed as bigint) as tickets_closed_{{ name }}{{ ',' if not loop.last }}
    {% endfor %}
from days
left join days as yesterdays
    on yesterdays.shop_id = days.shop_id
    and yesterdays.day = cast({{ dbt.dateadd('day', -1, 'days.day') }} as date)
left join days as earlier
    on earlier.shop_id = days.shop_id and earlier.day = days.last_open_day
