-- path: models/marts/sales_lines.yml
-- kind: test

select shop_id, effect_key, position, count(*) as times
from "marts"."sales_lines"
group by shop_id, effect_key, position
having count(*) > 1 or shop_id is null or effect_key is null or position is null
