-- Payments that are to be built again, and the document and day of each as they were: they were loaded, a record
-- that shows them or did was, their document changed, or a return that they name.
{{ config(materialized='table') }}
{% set holder = {'shop_id': 'shop_id', 'record_type': 'holder_type', 'record_id': 'holder_id'} %}
{% set records, before, shown, returns, listed = ref('int_changed_records'), ref('int_shown_before'), ref('int_shown_payments'), ref('int_returns'), ref('stg_payments') %}
{% if not changed_only() %}{{ nothing(['shop_id', 'id', 'document_type', 'document_id', 'day']) }}
-- depends_on: {{ ref('int_changed_documents') }}
{% else %}
with ids as (
    select shop_id, record_id as id from {{ records }} where record_type = 'payment'
    union
    select shop_id, id from {{ before }}
    union
    select shown.shop_id, shown.id
    from {{ shown }} as shown
    where {{ is_changed('int_changed_records', 'shown', holder) }}
    union
    select kept.shop_id, kept.id
    from {{ as_built('marts', 'payments') }} as kept
    where {{ is_changed('int_changed_documents', 'kept', document_key()) }}
    union
    select listed.shop_id, listed.id
    from {{ listed }} as listed
    inner join {{ returns }} as returns
        on returns.shop_id = listed.shop_id and returns.id = listed.return_id
    where {{ is_changed('int_changed_documents', 'returns', document_key()) }}
)

select ids.shop_id, ids.id, kept.document_type, kept.document_id, kept.day
from ids
left join {{ as_built('marts', 'payments') }} as kept
    on kept.shop_id = ids.shop_id and kept.id = ids.id
{% endif %}
