-- path: models/marts/products.yml
-- kind: test

select shop_id, id, count(*) as times
from "marts"."products"
group by shop_id, id
having count(*) > 1 or shop_id is null or id is null
