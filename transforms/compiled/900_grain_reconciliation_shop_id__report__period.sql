-- path: models/marts/reconciliation.yml
-- kind: test

select shop_id, report, period, count(*) as times
from "marts"."reconciliation"
group by shop_id, report, period
having count(*) > 1 or shop_id is null or report is null or period is null
