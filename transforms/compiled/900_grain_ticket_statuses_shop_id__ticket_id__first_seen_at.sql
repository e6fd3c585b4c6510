-- path: models/marts/ticket_statuses.yml
-- kind: test

select shop_id, ticket_id, first_seen_at, count(*) as times
from "marts"."ticket_statuses"
group by shop_id, ticket_id, first_seen_at
having count(*) > 1 or shop_id is null or ticket_id is null or first_seen_at is null
