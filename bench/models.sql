{#- A shop with so many `invoices` and `orders`, three lines a document. Amounts differ, as a shop's
do: joins by amounts and rounded products cost nothing otherwise. Records fill some three years at
most, and none is to come: a ticket dated beyond the calendar is built again each night. #}
{%- macro moment(seconds) -%}
strftime(timestamp '2023-01-01' + interval (i * {{ seconds }}) second, '%Y-%m-%dT%H:%M:%S-06:00')
{%- endmacro %}
{% for table in ("ticket_invoices", "pos_orders", "tickets", "payments", "customers", "products") %}
-- rows are packed as a load packs them
alter table raw.{{ table }} alter _dlt_load_id set default '1';
{% endfor %}
{% for table, count in (("ticket_invoices", invoices), ("pos_orders", orders)) %}
insert into raw.{{ table }} (
    shop_id, id, _dlt_id, _seen_at, number, status, amount_total, tax_total, created_date, customer__id
    {{- ", ticket__id" if table == "ticket_invoices" }}
)
select
    'main', '{{ table[0] }}' || i, '{{ table[0] }}' || i, now(), 'N' || i, 'Paid',
    3 * (price + tax), 3 * tax, {{ moment([100, 100000000 // count] | min) }}, 'c' || i % {{ customers }}
    {{- ", 't' || i" if table == "ticket_invoices" }}
from (
    select i, 10 + i % 90000 / 100 as price, round(price * 0.12, 2) as tax
    from range({{ count }}) as numbers(i)
);
insert into raw.{{ table }}__lines (
    shop_id, parent_id, _dlt_id, _dlt_parent_id, _dlt_list_idx, product_code, quantity, unit_price, tax, total
)
select
    'main', id, id || '/' || j, _dlt_id, j, 'P' || hash(id, j) % 2000, 1,
    (amount_total - tax_total) / 3, tax_total / 3, amount_total / 3
from raw.{{ table }}, range(3) as numbers(j);
insert into raw.{{ table }}__payments (
    shop_id, parent_id, _dlt_id, _dlt_parent_id, _dlt_list_idx, id, amount, date
)
select 'main', id, 'y' || id, _dlt_id, 0, 'y' || id, amount_total, created_date from raw.{{ table }};
insert into raw.payments (shop_id, id, _dlt_id, _seen_at, amount, date)
select 'main', id, _dlt_id, now(), amount, date from raw.{{ table }}__payments;
{% endfor %}
insert into raw.ticket_invoices__returns (
    shop_id, parent_id, _dlt_id, _dlt_parent_id, _dlt_list_idx, id, amount, created_date
)
select 'main', id, 'r' || id, _dlt_id, 0, 'r' || id, 5, created_date
from raw.ticket_invoices where hash(id) % 20 = 0;
insert into raw.tickets (
    shop_id, id, _dlt_id, _seen_at, created_date, device, status__label, customer__id, technician__id
)
select
    'main', 't' || i, 't' || i, now(), {{ moment(([100, 100000000 // invoices] | min) * 9 // 10) }}, 'Model ' || i % 50 || '|2022',
    'Collected', 'c' || i % {{ customers }}, 'u' || i % 6
from range({{ invoices }}) as numbers(i);
insert into raw.customers (shop_id, id, _dlt_id, _seen_at, name)
select 'main', 'c' || i, 'c' || i, now(), 'Name ' || i from range({{ customers }}) as numbers(i);
insert into raw.products (shop_id, id, _dlt_id, _seen_at, code, prices__cost_price)
select 'main', 'p' || i, 'p' || i, now(), 'P' || i, 4 + i % 300 / 100 from range(2000) as numbers(i);
insert into raw.tax_rates (shop_id, id, _dlt_id, _seen_at, name, value)
select 'main', rate, rate, now(), rate, rate from unnest([5, 12]) as rates(rate);
