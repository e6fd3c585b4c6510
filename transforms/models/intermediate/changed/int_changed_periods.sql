-- Days, months and years of technicians that are to be added up again: those of tickets that count otherwise
-- now, as they are and as they were, with all sales of such a ticket; and those of sales that changed.
{{ config(materialized='table') }}
{% set before, sold_days, tickets, sales = ref('int_tickets_before'), ref('int_changed_days'), ref('tickets'), ref('sales_documents') %}
{% if not changed_only() %}{{ nothing(['shop_id', 'period_kind', 'period']) }}{% else %}
with now as (
    select {{ ticket_as_counted() }}
    from {{ tickets }} as tickets
    where {{ is_changed('int_changed_tickets', 'tickets', {'shop_id': 'shop_id', 'id': 'id'}) }}
),

moved as (
    select * from (select * from now except select * from {{ before }}) as come
    union all
    select * from (select * from {{ before }} except select * from now) as gone
),

days as (
    select shop_id, opened_day as day from moved
    union
    select shop_id, done_day as day from moved
    union
    select shop_id, day from {{ sold_days }}
    union
    select sales.shop_id, sales.effect_day as day
    from {{ sales }} as sales
    where {{ in_changed('moved', 'sales', {'shop_id': 'shop_id', 'id': 'ticket_id'}) }}
)

{% for kind in ['day', 'month', 'year'] %}
select distinct shop_id, '{{ kind }}' as period_kind, {{ period_of(kind, 'day') }} as period from days where day is not null
{{ 'union all' if not loop.last }}
{% endfor %}
{% endif %}
