-- path: models/marts/technicians.yml
-- kind: test

select shop_id, technician_key, count(*) as times
from "marts"."technicians"
group by shop_id, technician_key
having count(*) > 1 or shop_id is null or technician_key is null
