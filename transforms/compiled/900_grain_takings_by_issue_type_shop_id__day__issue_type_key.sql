-- path: models/marts/takings_by_issue_type.yml
-- kind: test

select shop_id, day, issue_type_key, count(*) as times
from "marts"."takings_by_issue_type"
group by shop_id, day, issue_type_key
having count(*) > 1 or shop_id is null or day is null or issue_type_key is null
