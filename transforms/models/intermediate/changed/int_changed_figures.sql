-- Documents whose figures are to be worked out again: those that changed, and those of which a payment
-- changed that is theirs or was.
{{ config(materialized='table') }}
{% set changed = ref('int_changed_payments') %}
select shop_id, document_type, document_id from {{ ref('int_changed_documents') }}
union
select shop_id, document_type, document_id from {{ changed }} where document_id is not null
union
select payments.shop_id, payments.document_type, payments.document_id
from {{ ref('payments') }} as payments
where payments.document_id is not null
    and {{ 'false' if not changed_only() else is_changed('int_changed_payments', 'payments', {'shop_id': 'shop_id', 'id': 'id'}) }}
