-- path: models/marts/ticket_statuses.yml
-- kind: test

select shop_id, ticket_id, seen_from, count(*) as times
from "marts"."ticket_statuses"
group by shop_id, ticket_id, seen_from
having count(*) > 1 or shop_id is null or ticket_id is null or seen_from is null
