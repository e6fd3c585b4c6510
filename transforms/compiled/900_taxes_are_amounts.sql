-- path: tests/taxes_are_amounts.sql
-- kind: test
-- severity: warn

-- A shop whose lines say the same few taxes whatever they come to: a rate, or its id, and no amount. (Amounts of a low
-- rate are the same for several prices, but they are not few.) Or one that has rates of tax, and whose documents say
-- none. Then tax, net and margin are wrong, while what was sold is right.

select shop_id, count(distinct total) as amounts, count(distinct tax) as taxes
from "intermediate"."int_sales_lines"
where tax <> 0
group by 1
having count(distinct tax) <= 20 and count(distinct total) >= 20 and count(distinct tax) * 5 <= count(distinct total)

union all

select documents.shop_id, count(*) as amounts, count(documents.tax) as taxes
from "marts"."documents" as documents
inner join (
    select shop_id from "staging"."tax_rates" where value > 0 and deleted_at is null group by 1
) as rates on rates.shop_id = documents.shop_id
group by 1
having count(*) >= 20 and count(documents.tax) = 0
