-- path: models/marts/documents.yml
-- kind: test

select shop_id, document_type, document_id, count(*) as times
from "marts"."documents"
group by shop_id, document_type, document_id
having count(*) > 1 or shop_id is null or document_type is null or document_id is null
