-- path: models/marts/stock_on_order.yml
-- kind: test

select shop_id, product_key, count(*) as times
from "marts"."stock_on_order"
group by shop_id, product_key
having count(*) > 1 or shop_id is null or product_key is null
