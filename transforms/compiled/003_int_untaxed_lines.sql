-- path: models/intermediate/int_untaxed_lines.sql
-- kind: table
-- schema: intermediate
-- table: int_untaxed_lines

-- Shops whose lines leave tax out of their totals: with it, more of their documents add up than without. A table: it is
-- looked up for each line.

with line_sums as (
    select shop_id, document_type, document_id, sum(total) as total, sum(tax) as tax
    from "intermediate"."int_sales_lines"
    where return_row_key is null
    group by 1, 2, 3
    having sum(tax) <> 0
)

select documents.shop_id
from "intermediate"."int_documents" as documents
inner join line_sums on line_sums.shop_id = documents.shop_id
        and line_sums.document_type = documents.document_type
        and line_sums.document_id = documents.document_id
group by 1
having sum(case when abs(documents.amount_total - line_sums.total - line_sums.tax) <= 0.01 then 1 else 0 end)
    > sum(case when abs(documents.amount_total - line_sums.total) <= 0.01 then 1 else 0 end)
