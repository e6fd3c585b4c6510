-- Documents whose figures are to be worked out again, and the ticket and customer of each as they were: those that
-- changed, and those of which a payment changed that is theirs or was.
{{ config(materialized='table') }}
{% set changed, documents, payments = ref('int_changed_payments'), ref('int_changed_documents'), ref('payments') %}
{% if not changed_only() %}{{ nothing(['shop_id', 'document_type', 'document_id', 'ticket_id', 'customer_id']) }}{% else %}
with found as (
    select shop_id, document_type, document_id from {{ documents }}
    union
    select shop_id, document_type, document_id from {{ changed }} where document_id is not null
    union
    select payments.shop_id, payments.document_type, payments.document_id
    from {{ payments }} as payments
    where payments.document_id is not null
        and {{ is_changed('int_changed_payments', 'payments', {'shop_id': 'shop_id', 'id': 'id'}) }}
)

select found.shop_id, found.document_type, found.document_id, kept.ticket_id, kept.customer_id
from found
left join {{ as_built('marts', 'documents') }} as kept
    on kept.shop_id = found.shop_id
    and kept.document_type = found.document_type
    and kept.document_id = found.document_id
{% endif %}
