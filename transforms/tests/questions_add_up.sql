-- Arithmetic: however money, tickets, tax and sales are grouped, the groups are the whole.
{% set sums = [
    ('money by issue type', 'takings_by_issue_type', 'taken', 'payments', 'amount', 'day'),
    ('tax by rate', 'tax_by_rate', 'tax', 'sales_documents', 'tax', 'effect_day'),
    ('amounts by rate', 'tax_by_rate', 'gross', 'sales_documents', 'gross', 'effect_day'),
] %}
with compared as (
    {% for what, mart, theirs, source, ours, day in sums %}
    select
        '{{ what }}' as what,
        (select coalesce(sum({{ theirs }}), 0) from {{ ref(mart) }}) as grouped,
        (select coalesce(sum({{ ours }}), 0) from {{ ref(source) }} where {{ day }} is not null) as whole
    union all
    {% endfor %}
    select
        'lines by product' as what,
        (select coalesce(sum(revenue), 0) from {{ ref('product_months') }}) as grouped,
        (select coalesce(sum(total), 0) from {{ ref('sales_lines') }} where day is not null) as whole
    union all
    {% for kind in ['day', 'month', 'year'] %}
    select
        'tickets by technician and {{ kind }}' as what,
        (select coalesce(sum(tickets_opened + tickets_closed), 0) from {{ ref('technician_periods') }}
            where period_kind = '{{ kind }}') as grouped,
        (select count(opened_day) + count(case when is_done then done_day end) from {{ ref('tickets') }}) as whole
    union all
    {% endfor %}
    -- What is dated outside the calendar (before 27 years, or to come) is on none of its days.
    select
        'money by day' as what,
        (select coalesce(sum(taken), 0) from {{ ref('shop_days') }}) as grouped,
        (select coalesce(sum(payments.amount), 0)
            from {{ ref('payments') }} as payments
            inner join {{ ref('shop_days') }} as days
                on days.shop_id = payments.shop_id and days.day = payments.day) as whole
    union all
    select
        'customers by month' as what,
        (select coalesce(sum(visits), 0) from {{ ref('customer_months') }}) as grouped,
        (select coalesce(sum(visits), 0) from {{ ref('int_customer_months') }}) as whole
    union all
    select
        'months of customers' as what,
        (select coalesce(sum(visits), 0) from {{ ref('int_customer_months') }}) as grouped,
        (select count(*) from (select distinct shop_id, customer_id, day from {{ ref('int_visits') }}) as came) as whole
)

select * from compared where grouped <> whole
