-- path: models/marts/tax_by_rate.yml
-- kind: test

select shop_id, day, rate_key, count(*) as times
from "marts"."tax_by_rate"
group by shop_id, day, rate_key
having count(*) > 1 or shop_id is null or day is null or rate_key is null
