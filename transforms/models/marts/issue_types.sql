select
    shop_id,
    coalesce(issue_type_id, issue_type, 'none') as issue_type_key,
    max(issue_type) as issue_type,
    {{ ticket_measures() }}
from {{ ref('tickets') }}
group by 1, 2
