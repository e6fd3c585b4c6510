-- The same as a table: which ticket it was of is known at the next build.
-- depends_on: {{ ref('int_changed_tickets') }}
{% set work = {'shop_id': 'shop_id', 'record_type': 'record_type', 'record_id': 'id'} %}
{{ config(materialized='table', meta=replaced_by('int_changed_records', work)) }}
select * from {{ ref('int_ticket_work') }} as done where {{ is_changed('int_changed_records', 'done', work) }}
