-- Customers that are to be built again: they were loaded, or a document or ticket that is theirs or was changed.
{{ config(materialized='table') }}
{% set records, figures, before, documents, tickets = ref('int_changed_records'), ref('int_changed_figures'), ref('int_tickets_before'), ref('documents'), ref('tickets') %}
{% if not changed_only() %}{{ nothing(['shop_id', 'customer_id']) }}{% else %}
with found as (
    select shop_id, record_id as customer_id from {{ records }} where record_type = 'customer'
    union
    select shop_id, customer_id from {{ figures }}
    union
    select documents.shop_id, documents.customer_id
    from {{ documents }} as documents
    where {{ is_changed('int_changed_figures', 'documents', document_key()) }}
    union
    select shop_id, customer_id from {{ before }}
    union
    select tickets.shop_id, tickets.customer_id
    from {{ tickets }} as tickets
    where {{ is_changed('int_changed_tickets', 'tickets', {'shop_id': 'shop_id', 'id': 'id'}) }}
)

select shop_id, customer_id from found where customer_id is not null
{% endif %}
