-- path: models/marts/product_months.yml
-- kind: test

select shop_id, month, product_key, count(*) as times
from "marts"."product_months"
group by shop_id, month, product_key
having count(*) > 1 or shop_id is null or month is null or product_key is null
