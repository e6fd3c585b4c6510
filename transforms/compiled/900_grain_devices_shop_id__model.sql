-- path: models/marts/devices.yml
-- kind: test

select shop_id, model, count(*) as times
from "marts"."devices"
group by shop_id, model
having count(*) > 1 or shop_id is null or model is null
