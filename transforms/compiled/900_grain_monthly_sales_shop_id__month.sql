-- path: models/marts/monthly_sales.yml
-- kind: test

select shop_id, month, count(*) as times
from "marts"."monthly_sales"
group by shop_id, month
having count(*) > 1 or shop_id is null or month is null
