-- path: models/marts/monthly_purchases.yml
-- kind: test

select shop_id, month, count(*) as times
from "marts"."monthly_purchases"
group by shop_id, month
having count(*) > 1 or shop_id is null or month is null
