-- path: models/marts/purchase_lines.yml
-- kind: test

select shop_id, purchase_id, position, count(*) as times
from "marts"."purchase_lines"
group by shop_id, purchase_id, position
having count(*) > 1 or shop_id is null or purchase_id is null or position is null
