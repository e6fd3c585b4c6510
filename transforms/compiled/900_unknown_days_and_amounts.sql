-- path: tests/unknown_days_and_amounts.sql
-- kind: test
-- severity: warn

-- What has no day or no amount counts in no report: the figures are then too low, and this says so.

select shop_id, effect_key, effect_day as day, gross as amount
from "marts"."sales_documents"
where effect_day is null or document_day is null or gross is null
union all
select shop_id, effect_key, created_day as day, cost as amount
from "marts"."purchase_documents"
where created_day is null or not is_amount_known
union all
select shop_id, concat('payment:', id) as effect_key, day, amount
from "marts"."payments"
where day is null or amount is null
