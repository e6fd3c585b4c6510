-- path: models/intermediate/int_tax_rates.sql
-- kind: view
-- schema: intermediate
-- table: int_tax_rates

-- The shop's own rates of tax, with those that it has changed since: what it sold at them stands in its books.
select shop_id, value as rate, max(name) as name
from "history"."tax_rates"
where value between 0 and 100
group by 1, 2
