-- path: models/marts/issue_types.yml
-- kind: test

select shop_id, issue_type_key, count(*) as times
from "marts"."issue_types"
group by shop_id, issue_type_key
having count(*) > 1 or shop_id is null or issue_type_key is null
