-- Lines added up for each document, and apart from it for each of its returns. A table: three models ask for it.
{{ config(materialized='table') }}
select
    shop_id, document_type, document_id, is_returned, return_position,
    sum(total) as total,
    sum(tax) as tax,
    sum(cost) as cost,
    sum(total - coalesce(tax, 0) - cost) as margin,
    sum(case when cost is null then total else 0 end) as uncosted,
    sum(case when cost is null then total - coalesce(tax, 0) else 0 end) as uncosted_net
from {{ ref('int_priced_lines') }}
group by 1, 2, 3, 4, 5
