-- path: models/marts/labour.yml
-- kind: test

select shop_id, user_id, day, count(*) as times
from "marts"."labour"
group by shop_id, user_id, day
having count(*) > 1 or shop_id is null or user_id is null or day is null
