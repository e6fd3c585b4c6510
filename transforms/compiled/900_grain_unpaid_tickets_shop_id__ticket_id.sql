-- path: models/marts/unpaid_tickets.yml
-- kind: test

select shop_id, ticket_id, count(*) as times
from "marts"."unpaid_tickets"
group by shop_id, ticket_id
having count(*) > 1 or shop_id is null or ticket_id is null
