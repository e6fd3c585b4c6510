-- path: models/marts/technician_periods.yml
-- kind: test

select shop_id, technician_key, period_kind, period, count(*) as times
from "marts"."technician_periods"
group by shop_id, technician_key, period_kind, period
having count(*) > 1 or shop_id is null or technician_key is null or period_kind is null or period is null
