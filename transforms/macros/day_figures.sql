{#-
    What happened in each shop on each day, as relations to join: `until_now` leaves out what
    happened later in its day than this build in today, so that a day that is still running can be
    set beside the same hours of others. What has no time of day, or counts on another day, stays.
-#}
{% macro day_figures(until_now=false) -%}
shops as (
    select shop_id, timezone, today, {{ minute_of_day(local_time(instant_of_wall_clock('built_at', "'UTC'"), 'timezone')) }} as minute_now
    from {{ ref('int_shops') }}
),

taken as (
    select
        payments.shop_id, payments.day,
        sum(amount) as taken,
        {% for kind in ['sale', 'receivable', 'advance', 'refund'] -%}
        sum(case when kind_chosen = '{{ kind }}' then amount else 0 end) as {{ kind }}s,
        {% endfor -%}
        {% for kind in ['sale', 'receivable'] -%}
        sum(case when kind = '{{ kind }}' then amount else 0 end) as {{ kind }}s_by_invoice,
        sum(case when kind_by_ticket = '{{ kind }}' then amount else 0 end) as {{ kind }}s_by_ticket,
        {% endfor -%}
        sum(case when document_type = 'pos_order' then amount else 0 end) as taken_counter,
        sum(case when document_type = 'ticket_invoice' or (document_type is null and ticket_id is not null)
            then amount else 0 end) as taken_repairs,
        sum(case when document_type is null and ticket_id is null then amount else 0 end) as taken_unassigned,
        count(amount) as payments,
        count(*) - count(amount) as unreadable_payments
    from {{ ref('payments') }} as payments
    {{ happened_by_now('payments', 'payments.paid_at', 'payments.day') if until_now }}
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
    from {{ ref('int_sales_effects') }} as effects
    {{ happened_by_now('effects', 'effects.happened_at', 'effects.day') if until_now }}
    group by 1, 2
),

opened as (
    select tickets.shop_id, tickets.opened_day as day, count(*) as tickets
    from {{ ref('tickets') }} as tickets
    {{ happened_by_now('tickets', 'tickets.opened_at', 'tickets.opened_day') if until_now }}
    group by 1, 2
),

closed as (
    select tickets.shop_id, tickets.done_day as day, count(*) as tickets
    from (select * from {{ ref('tickets') }} where is_done) as tickets
    {{ happened_by_now('tickets', 'tickets.done_at', 'tickets.done_day') if until_now }}
    group by 1, 2
),

spent as (
    select shop_id, created_day as day, sum(cost) as expenses
    from {{ ref('purchase_documents') }}
    where effect = 'expense'
    group by 1, 2
),

unread as (
    select shop_id, effect_day as day, count(*) as documents
    from {{ ref('sales_documents') }}
    where gross is null
    group by 1, 2
)
{%- endmacro %}

{#- What was added up for a day: column -> which of the relations above it is of. -#}
{% macro day_amounts() -%}
{{ return({
    'taken': 'taken.taken', 'sales': 'taken.sales', 'receivables': 'taken.receivables',
    'advances': 'taken.advances', 'refunds': 'taken.refunds',
    'taken_repairs': 'taken.taken_repairs', 'taken_counter': 'taken.taken_counter',
    'taken_unassigned': 'taken.taken_unassigned',
    'sales_by_invoice': 'taken.sales_by_invoice', 'receivables_by_invoice': 'taken.receivables_by_invoice',
    'sales_by_ticket': 'taken.sales_by_ticket', 'receivables_by_ticket': 'taken.receivables_by_ticket',
    'sold': 'sold.sold', 'sold_repairs': 'sold.sold_repairs', 'sold_counter': 'sold.sold_counter',
    'returned': 'sold.returned', 'tax': 'sold.tax', 'cost': 'sold.cost', 'margin': 'sold.margin',
    'uncosted': 'sold.uncosted', 'expenses': 'spent.expenses',
}) }}
{%- endmacro %}

{% macro day_counts() -%}
{{ return({
    'payments': 'taken.payments', 'unreadable_payments': 'taken.unreadable_payments',
    'unreadable_documents': 'unread.documents', 'documents': 'sold.documents',
    'tickets_opened': 'opened.tickets', 'tickets_closed': 'closed.tickets',
}) }}
{%- endmacro %}

{#- They as columns, zero on days without any; `calendar` is the day they are of. -#}
{% macro day_columns() -%}
{%- for name, source in day_amounts().items() %}
        cast(coalesce({{ source }}, 0) as {{ money() }}) as {{ name }},
{%- endfor -%}
{%- for name, source in day_counts().items() %}
        cast(coalesce({{ source }}, 0) as bigint) as {{ name }}{{ ',' if not loop.last }}
{%- endfor %}
{%- endmacro %}

{% macro day_joins() -%}
{%- for name in ['taken', 'sold', 'opened', 'closed', 'spent', 'unread'] %}
    left join {{ name }} on {{ name }}.shop_id = calendar.shop_id and {{ name }}.day = calendar.day
{%- endfor %}
{%- endmacro %}

{% macro minute_of_day(local_time) -%}
(extract(hour from {{ local_time }}) * 60 + extract(minute from {{ local_time }}))
{%- endmacro %}

{% macro happened_by_now(rows, moment, day) -%}
inner join shops on shops.shop_id = {{ rows }}.shop_id
    where {{ moment }} is null
        or {{ local_date(moment, 'shops.timezone') }} <> {{ day }}
        or {{ minute_of_day(local_time(moment, 'shops.timezone')) }} <= shops.minute_now
{%- endmacro %}
