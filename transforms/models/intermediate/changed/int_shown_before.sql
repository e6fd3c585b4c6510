-- Payments that the last build saw in records that were loaded since: some no longer show them.
{{ config(materialized='table') }}
{% set records = ref('int_changed_records') %}
{% if not changed_only() %}{{ nothing(['shop_id', 'id']) }}{% else %}
select distinct shown.shop_id, shown.id
from {{ as_built('intermediate', 'int_shown_payments') }} as shown
where {{ is_changed('int_changed_records', 'shown', {'shop_id': 'shop_id', 'record_type': 'holder_type', 'record_id': 'holder_id'}) }}
{% endif %}
