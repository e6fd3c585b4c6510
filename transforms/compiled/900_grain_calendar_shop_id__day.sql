-- path: models/marts/calendar.yml
-- kind: test

select shop_id, day, count(*) as times
from "marts"."calendar"
group by shop_id, day
having count(*) > 1 or shop_id is null or day is null
