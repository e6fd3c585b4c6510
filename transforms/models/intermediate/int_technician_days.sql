-- What is only added up of technicians, by day. A table, of which months and years are made.
{% set key = {'shop_id': 'shop_id', 'period_kind': "'day'", 'period': 'day'} %}
{{ config(materialized='table', meta=replaced_by('int_changed_periods', key)) }}
with tickets as (
    select shop_id, id, coalesce(technician_id, 'unassigned') as technician_key, technician, opened_day, done_day
    from {{ ref('tickets') }}
),

sold as (
    select shop_id, ticket_id, effect_day as day, gross
    from {{ ref('sales_documents') }} as sales
    where ticket_id is not null
        and effect_day is not null
        and {{ is_changed('int_changed_periods', 'sales', dict(key, period='effect_day')) }}
),

events as (
    {% for event in ['opened', 'closed'] %}
    {% set day = 'opened_day' if event == 'opened' else 'done_day' %}
    select
        shop_id, technician_key, max(technician) as technician, {{ day }} as day,
        {{ 'count(*) as opened, 0' if event == 'opened' else '0 as opened, count(*)' }} as closed, cast(0 as {{ money() }}) as revenue
    from tickets
    where {{ day }} is not null and {{ is_changed('int_changed_periods', 'tickets', dict(key, period=day)) }}
    group by 1, 2, 4
    union all
    {% endfor %}
    select
        tickets.shop_id, tickets.technician_key, max(tickets.technician) as technician, sold.day,
        0 as opened, 0 as closed, sum(coalesce(sold.gross, 0)) as revenue
    from sold
    inner join tickets on tickets.shop_id = sold.shop_id and tickets.id = sold.ticket_id
    where {{ is_named('tickets.id', 'sold', 'ticket_id') }}
    group by 1, 2, 4
)

select
    shop_id, technician_key, max(technician) as technician, day,
    cast(sum(opened) as bigint) as opened, cast(sum(closed) as bigint) as closed, cast(sum(revenue) as {{ money() }}) as revenue
from events
group by 1, 2, 4
