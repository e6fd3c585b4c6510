-- Shops whose lines leave tax out of their totals: with it, more of their documents add up than without. A table: it is
-- looked up for each line.
{{ config(materialized='table') }}
with line_sums as (
    select shop_id, document_type, document_id, sum(total) as total, sum(tax) as tax
    from {{ ref('int_sales_lines') }}
    where return_row_key is null
    group by 1, 2, 3
    having sum(tax) <> 0
)

select documents.shop_id
from {{ ref('int_documents') }} as documents
inner join line_sums on {{ same_document('line_sums', 'documents') }}
group by 1
having sum(case when abs(documents.amount_total - line_sums.total - line_sums.tax) <= 0.01 then 1 else 0 end)
    > sum(case when abs(documents.amount_total - line_sums.total) <= 0.01 then 1 else 0 end)
