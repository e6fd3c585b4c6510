-- What has no day or no amount counts in no report: the figures are then too low, and this says so.
{{ config(severity='warn') }}
select shop_id, effect_key, effect_day as day, gross as amount
from {{ ref('sales_documents') }}
where effect_day is null or document_day is null or gross is null
union all
select shop_id, effect_key, created_day as day, cost as amount
from {{ ref('purchase_documents') }}
where created_day is null or not is_amount_known
union all
select shop_id, concat('payment:', id) as effect_key, day, amount
from {{ ref('payments') }}
where day is null or amount is null
