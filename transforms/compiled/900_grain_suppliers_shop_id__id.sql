-- path: models/marts/suppliers.yml
-- kind: test

select shop_id, id, count(*) as times
from "marts"."suppliers"
group by shop_id, id
having count(*) > 1 or shop_id is null or id is null
