-- path: tests/taxes_are_amounts.sql
-- kind: test
-- severity: warn

-- A shop whose lines say the same few taxes whatever they come to: a rate, or its id, and no amount.
-- Then tax, net and margin are wrong, while what was sold is right.

select shop_id, count(distinct total) as totals, count(distinct tax) as taxes
from "intermediate"."int_sales_lines"
where tax <> 0
group by 1
having count(distinct total) >= 20 and count(distinct tax) * 5 <= count(distinct total)
