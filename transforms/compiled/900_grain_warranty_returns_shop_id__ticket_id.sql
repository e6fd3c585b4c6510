-- path: models/marts/warranty_returns.yml
-- kind: test

select shop_id, ticket_id, count(*) as times
from "marts"."warranty_returns"
group by shop_id, ticket_id
having count(*) > 1 or shop_id is null or ticket_id is null
