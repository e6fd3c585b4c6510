-- The shop's own rates of tax.
select shop_id, value as rate, max(name) as name
from {{ ref('stg_tax_rates') }}
where value between 0 and 100
group by 1, 2
