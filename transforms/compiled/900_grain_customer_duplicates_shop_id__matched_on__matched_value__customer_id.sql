-- path: models/marts/customer_duplicates.yml
-- kind: test

select shop_id, matched_on, matched_value, customer_id, count(*) as times
from "marts"."customer_duplicates"
group by shop_id, matched_on, matched_value, customer_id
having count(*) > 1 or shop_id is null or matched_on is null or matched_value is null or customer_id is null
