-- path: models/marts/stock_by_location.yml
-- kind: test

select shop_id, product_id, location, count(*) as times
from "marts"."stock_by_location"
group by shop_id, product_id, location
having count(*) > 1 or shop_id is null or product_id is null or location is null
