-- Days, and their months, that are to be added up again: those of sales and payments that changed, as
-- they are and as they were, and all of a shop whose tax rates did.
{{ config(materialized='table') }}
{% set before, paid_before, payments, sales, rates = ref('int_days_before'), ref('int_changed_payments'), ref('payments'), ref('sales_documents'), ref('int_tax_rates') %}
{% if not changed_only() %}{{ nothing(['shop_id', 'day', 'month']) }}{% else %}
{% set kept = as_built('intermediate', 'int_built_tax_rates') %}
with rated as (
    select shop_id from (select * from {{ rates }} except select * from {{ kept }}) as come
    union
    select shop_id from (select * from {{ kept }} except select * from {{ rates }}) as gone
),

sold as (
    select * from {{ sales }} as sales where {{ is_changed('int_changed_figures', 'sales', document_key()) }}
),

days as (
    select shop_id, day from {{ before }}
    union
    select shop_id, day from {{ paid_before }}
    union
    select payments.shop_id, payments.day
    from {{ payments }} as payments
    where {{ is_changed('int_changed_payments', 'payments', {'shop_id': 'shop_id', 'id': 'id'}) }}
    {% for day in sales_days() %}
    union
    select shop_id, {{ day }} as day from sold
    {% endfor %}
    union
    select shop_id, effect_day as day from {{ sales }} where shop_id in (select shop_id from rated)
)

select shop_id, day, {{ month_of('day') }} as month from days where day is not null
{% endif %}
