-- Tickets that are to be built again as they were: whose, their days, and what else technicians' periods count.
{{ config(materialized='table') }}
{% set changed = ref('int_changed_tickets') %}
{% if not changed_only() %}{{ nothing(['shop_id', 'id', 'customer_id', 'opened_day', 'done_day', 'counted']) }}{% else %}
select {{ ticket_as_counted() }}
from {{ as_built('marts', 'tickets') }} as kept
where {{ is_changed('int_changed_tickets', 'kept', {'shop_id': 'shop_id', 'id': 'id'}) }}
{% endif %}
