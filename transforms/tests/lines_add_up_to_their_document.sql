-- A document's lines are its total. A shop may round otherwise: a finding, not a fault.
{{ config(severity='warn') }}
with summed as (
    select shop_id, document_type, document_id, sum(total) as total
    from {{ ref('sales_lines') }}
    where effect <> 'return'
    group by 1, 2, 3
)

select documents.shop_id, documents.document_type, documents.document_id, documents.gross, summed.total
from {{ ref('documents') }} as documents
inner join summed
    on summed.shop_id = documents.shop_id
    and summed.document_type = documents.document_type
    and summed.document_id = documents.document_id
where documents.amount_source = 'document' and abs(documents.gross - summed.total) > 0.01
