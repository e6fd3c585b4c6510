-- Which comment and timer is of which ticket.
{% for kind in ['comment', 'timer'] %}
select shop_id, cast('ticket_{{ kind }}' as {{ dbt.type_string() }}) as record_type, id, ticket_id
from {{ ref('stg_ticket_' ~ kind ~ 's') }}
where ticket_id is not null
{{ 'union all' if not loop.last }}
{% endfor %}
