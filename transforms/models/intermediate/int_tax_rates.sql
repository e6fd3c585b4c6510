-- The shop's own rates of tax, with those that it has changed since: what it sold at them stands in its books.
select shop_id, value as rate, max(name) as name
from {{ ref('hist_tax_rates') }}
where value between 0 and 100
group by 1, 2
