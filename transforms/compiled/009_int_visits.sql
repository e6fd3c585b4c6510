-- path: models/intermediate/int_visits.sql
-- kind: view
-- schema: intermediate
-- table: int_visits

-- When a customer came: a ticket, or a document that belongs to none. The invoice of a ticket is the
-- same visit as the ticket.
select shop_id, customer_id, opened_day as day, cast(0 as decimal(28, 4)) as gross
from "marts"."tickets"
where customer_id is not null and opened_day is not null
union all
select shop_id, customer_id, created_day as day, coalesce(gross, 0) as gross
from "marts"."documents"
where customer_id is not null and created_day is not null and ticket_id is null
