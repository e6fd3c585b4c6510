-- Documents that are to be built again, or their lines: they were loaded, or their ticket was, or the
-- product of a line is another than it was.
{{ config(materialized='table') }}
{% set records, invoices, products = ref('int_changed_records'), ref('stg_ticket_invoices'), ref('int_products_by_code') %}
{% if not changed_only() %}{{ nothing(['shop_id', 'document_type', 'document_id']) }}{% else %}
{% set kept, columns = as_built('intermediate', 'int_line_products'), 'shop_id, code, id, name, type, category_name, cost_price' %}
with codes as (
    select shop_id, code from (select {{ columns }} from {{ products }} except select {{ columns }} from {{ kept }}) as come
    union
    select shop_id, code from (select {{ columns }} from {{ kept }} except select {{ columns }} from {{ products }}) as gone
)

select shop_id, record_type as document_type, record_id as document_id
from {{ records }}
where record_type in ('ticket_invoice', 'pos_order')
union
select invoices.shop_id, 'ticket_invoice' as document_type, invoices.id as document_id
from {{ invoices }} as invoices
inner join {{ records }} as tickets
    on tickets.shop_id = invoices.shop_id and tickets.record_id = invoices.ticket_id
where tickets.record_type = 'ticket'
union
select lines.shop_id, lines.document_type, lines.document_id
from {{ as_built('intermediate', 'int_priced_lines') }} as lines
inner join codes on codes.shop_id = lines.shop_id and codes.code = lines.product_code
{% endif %}
