-- A row for every day of the shop's calendar up to today, so that a day without business is a zero
-- and the day before stands beside each. Reports, page and notebooks add these rows up.
{% set buckets = [('due_to_30', 0, 30), ('due_31_to_60', 31, 60), ('due_61_to_90', 61, 90), ('due_over_90', 91, none)] %}
with {{ day_figures() }},

calendar as (
    select calendar.*
    from {{ ref('calendar') }} as calendar
    inner join shops on shops.shop_id = calendar.shop_id
    where calendar.day <= shops.today
),

bounds as (
    select shop_id, min(day) as first_day from calendar group by 1
),

unpaid as (
    select shop_id, opened_day as day, count(*) as tickets, sum(coalesce(due, 0)) as due
    from {{ ref('unpaid_tickets') }}
    group by 1, 2
),

-- What a document owes changes on the day it is made, on which something of it is returned, or paid.
due_changes as (
    select shop_id, document_type, document_id, created_day as day, gross as amount
    from {{ ref('documents') }}
    union all
    select shop_id, document_type, document_id, greatest(coalesce(effect_day, document_day), document_day), gross
    from {{ ref('sales_documents') }}
    where effect = 'return'
    union all
    select shop_id, document_type, document_id, greatest(coalesce(day, document_day), document_day), -amount
    from {{ ref('int_document_payments') }}
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
    inner join {{ ref('documents') }} as documents on {{ same_document('documents', 'due_days') }}
    -- A document of an unknown amount cannot be called due.
    where documents.gross is not null
),

-- By age: from the day a document comes to an age, or begins to owe, to the day it leaves it or owes otherwise.
aged as (
    {%- for name, first_age, last_age in buckets %}
    {%- set first = dbt.dateadd('day', first_age, 'created_day') %}
    select
        shop_id, '{{ name }}' as age, due,
        greatest(day, cast({{ first }} as date)) as day,
        {%- if last_age is none %}
        until_day
        {%- else %}
        least(coalesce(until_day, cast({{ dbt.dateadd('day', last_age + 1, 'created_day') }} as date)),
            cast({{ dbt.dateadd('day', last_age + 1, 'created_day') }} as date)) as until_day
        {%- endif %}
    from owed
    -- Below a cent nothing is owed.
    where due >= 0.01
    {{ 'union all' if not loop.last }}
    {%- endfor %}
),

standing_changes as (
    select shop_id, day, age, due, 1 as documents, 0 as tickets, 0 as unassigned
    from aged where until_day is null or day < until_day
    union all
    select shop_id, until_day as day, age, -due, -1, 0, 0
    from aged where day < until_day
    union all
    select shop_id, opened_day as day, null, 0, 0, 1, case when is_unassigned then 1 else 0 end
    from {{ ref('tickets') }}
    where done_day is not null or not is_done
    union all
    select shop_id, greatest(done_day, opened_day) as day, null, 0, 0, -1, case when is_unassigned then -1 else 0 end
    from {{ ref('tickets') }}
    where is_done and done_day is not null
),

-- What is dated before the calendar begins stands from its first day on.
standing as (
    select
        changes.shop_id,
        greatest(changes.day, bounds.first_day) as day,
        {% for name, _first, _last in buckets -%}
        sum(case when age = '{{ name }}' then due else 0 end) as {{ name }},
        {% endfor -%}
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
        {%- for name, _first, _last in buckets %}
        sum(coalesce(standing.{{ name }}, 0)) over (partition by calendar.shop_id order by calendar.day) as {{ name }},
        {%- endfor %}
        {%- for name in ['documents_due', 'tickets_open', 'tickets_without_technician'] %}
        sum(coalesce(standing.{{ name }}, 0)) over (partition by calendar.shop_id order by calendar.day) as {{ name }},
        {%- endfor %}
        coalesce(unpaid.tickets, 0) as tickets_unpaid,
        coalesce(unpaid.due, 0) as unpaid,
        {{- day_columns() }}
    from calendar
    {{- day_joins() }}
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
    {% for name in (day_amounts() | list) + (day_counts() | list) -%}
    days.{{ name }},
    {% endfor -%}
    {% for name in ['unpaid', 'due_to_30', 'due_31_to_60', 'due_61_to_90', 'due_over_90'] -%}
    cast(days.{{ name }} as {{ money() }}) as {{ name }},
    {% endfor -%}
    cast(days.due_to_30 + days.due_31_to_60 + days.due_61_to_90 + days.due_over_90 as {{ money() }}) as due,
    {% for name in ['documents_due', 'tickets_open', 'tickets_without_technician', 'tickets_unpaid'] -%}
    cast(days.{{ name }} as bigint) as {{ name }},
    {% endfor -%}
    days.last_open_day,
    {% for name, other in [('day_before', 'yesterdays'), ('open_day_before', 'earlier')] -%}
    {{ other }}.taken as taken_{{ name }},
    {{ other }}.sold as sold_{{ name }},
    {{ other }}.tickets_opened as tickets_opened_{{ name }},
    {{ other }}.tickets_closed as tickets_closed_{{ name }}{{ ',' if not loop.last }}
    {% endfor %}
from days
left join days as yesterdays
    on yesterdays.shop_id = days.shop_id
    and yesterdays.day = cast({{ dbt.dateadd('day', -1, 'days.day') }} as date)
left join days as earlier
    on earlier.shop_id = days.shop_id and earlier.day = days.last_open_day
