-- path: models/marts/purchase_documents.yml
-- kind: test

select shop_id, effect_key, count(*) as times
from "marts"."purchase_documents"
group by shop_id, effect_key
having count(*) > 1 or shop_id is null or effect_key is null
