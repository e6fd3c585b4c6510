-- Tickets that are to be built again: they were loaded, or what was done on them; a document of theirs
-- changed; they are not done, so that they are a day older; or an earlier visit with the device changed.
{{ config(materialized='table') }}
{% set work = {'shop_id': 'shop_id', 'record_type': 'record_type', 'record_id': 'id'} %}
{% set records, figures, documents, tickets, shops = ref('int_changed_records'), ref('int_changed_figures'), ref('documents'), ref('stg_tickets'), ref('int_shops') %}
{% set now = ref('int_ticket_work') %}
{% if not changed_only() %}{{ nothing(['shop_id', 'id']) }}{% else %}
with touched as (
    select shop_id, record_id as id from {{ records }} where record_type = 'ticket'
    union
    select shop_id, ticket_id as id from {{ figures }} where ticket_id is not null
    union
    select documents.shop_id, documents.ticket_id as id
    from {{ documents }} as documents
    where documents.ticket_id is not null and {{ is_changed('int_changed_figures', 'documents', document_key()) }}
    union
    select before.shop_id, before.ticket_id as id
    from {{ as_built('intermediate', 'int_built_ticket_work') }} as before
    where {{ is_changed('int_changed_records', 'before', work) }}
    union
    select done.shop_id, done.ticket_id as id
    from {{ now }} as done
    where {{ is_changed('int_changed_records', 'done', work) }}
    union
    -- Not done, or done on a day that the calendar had not yet; it begins 9,900 days ago at most.
    select kept.shop_id, kept.id
    from {{ as_built('marts', 'tickets') }} as kept
    inner join {{ shops }} as shops on shops.shop_id = kept.shop_id
    where kept.cycle_hours is null or kept.opened_day < {{ dbt.dateadd('day', -9800, 'shops.today') }}
),

visits as (
    select kept.shop_id, kept.customer_id, kept.device
    from {{ as_built('marts', 'tickets') }} as kept
    inner join touched on touched.shop_id = kept.shop_id and touched.id = kept.id
    union
    select tickets.shop_id, tickets.customer_id, tickets.device
    from {{ tickets }} as tickets
    inner join touched on touched.shop_id = tickets.shop_id and touched.id = tickets.id
)

select shop_id, id from touched
union
select tickets.shop_id, tickets.id
from {{ tickets }} as tickets
inner join visits
    on visits.shop_id = tickets.shop_id
    and visits.customer_id = tickets.customer_id
    and visits.device = tickets.device
{% endif %}
