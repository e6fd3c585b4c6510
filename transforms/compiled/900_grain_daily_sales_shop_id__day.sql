-- path: models/marts/daily_sales.yml
-- kind: test

select shop_id, day, count(*) as times
from "marts"."daily_sales"
group by shop_id, day
having count(*) > 1 or shop_id is null or day is null
