-- When a customer came: a ticket, or a document that belongs to none. The invoice of a ticket is the
-- same visit as the ticket.
select shop_id, customer_id, opened_day as day, cast(0 as {{ money() }}) as gross
from {{ ref('tickets') }}
where customer_id is not null and opened_day is not null
union all
select shop_id, customer_id, created_day as day, coalesce(gross, 0) as gross
from {{ ref('documents') }}
where customer_id is not null and created_day is not null and ticket_id is null
