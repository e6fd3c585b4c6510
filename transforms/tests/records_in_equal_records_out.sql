-- Integrity: each record that exists at the service is in its mart once, and nothing else is; and
-- what was bought, listed on lines and owed is the same sum in the mart as in what it is made of.
{% set kept = [
    ('tickets', 'tickets', 'true'),
    ('customers', 'customers', 'true'),
    ('products', 'products', 'true'),
    ('suppliers', 'suppliers', 'true'),
    ('leads', 'leads', 'true'),
    ('appointments', 'appointments', 'true'),
    ('purchase_orders', 'purchases', 'true'),
    ('purchase_orders', 'purchase_documents', "effect = 'purchase_order'"),
    ('expenses', 'purchase_documents', "effect = 'expense'"),
] %}
with counted as (
    {% for staged, mart, which in kept %}
    select
        '{{ staged }} in {{ mart }}' as what,
        (select count(*) from {{ ref('stg_' ~ staged) }} where deleted_at is null) as came_in,
        (select count(*) from {{ ref(mart) }} where {{ which }}) as went_out
    union all
    {% endfor %}
    -- Groups of tickets hold each ticket once.
    {% for mart in ['technicians', 'issue_types', 'devices'] %}
    select
        'tickets in {{ mart }}' as what,
        (select count(*) from {{ ref('tickets') }}) as came_in,
        (select cast(coalesce(sum(tickets), 0) as bigint) from {{ ref(mart) }}) as went_out
    union all
    {% endfor %}
    select
        'lines of documents that exist' as what,
        (
            select count(*)
            from {{ ref('int_sales_lines') }} as lines
            inner join {{ ref('int_documents') }} as documents on {{ same_document('documents', 'lines') }}
        ) as came_in,
        (select count(*) from {{ ref('sales_lines') }}) as went_out
    union all
    {% for what, list, amount, mart, cost, which in [
        ('cost of purchase orders', 'purchase_orders', 'cost', 'purchases', 'cost', 'true'),
        ('shipping of purchase orders', 'purchase_orders', 'shipping_cost', 'purchases', 'shipping_cost', 'true'),
        ('expenses', 'expenses', 'amount', 'purchase_documents', 'cost', "effect = 'expense'"),
    ] %}
    select
        '{{ what }}' as what,
        (select coalesce(sum({{ amount }}), 0) from {{ ref('stg_' ~ list) }} where deleted_at is null) as came_in,
        (select coalesce(sum({{ cost }}), 0) from {{ ref(mart) }} where {{ which }}) as went_out
    union all
    {% endfor %}
    select
        'due' as what,
        (select coalesce(sum(due), 0) from {{ ref('documents') }} where due >= 0.01 and gross is not null) as came_in,
        (select coalesce(sum(due), 0) from {{ ref('receivables') }}) as went_out
    union all
    select
        'lifetime value of customers' as what,
        (
            select coalesce(sum(effects.gross), 0)
            from {{ ref('sales_documents') }} as effects
            inner join {{ ref('customers') }} as customers
                on customers.shop_id = effects.shop_id and customers.id = effects.customer_id
        ) as came_in,
        (select coalesce(sum(lifetime_value), 0) from {{ ref('customers') }}) as went_out
)

-- Wider than an amount: sums of absurd amounts are no reason to fail.
select what, cast(came_in as decimal(38, 4)) as came_in, cast(went_out as decimal(38, 4)) as went_out
from counted
where came_in <> went_out
