-- path: models/marts/customer_months.yml
-- kind: test

select shop_id, month, count(*) as times
from "marts"."customer_months"
group by shop_id, month
having count(*) > 1 or shop_id is null or month is null
