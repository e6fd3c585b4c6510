-- A document's lines are its total. A shop may round otherwise: a finding, not a fault.
{{ config(severity='warn') }}
select documents.shop_id, documents.document_type, documents.document_id, documents.gross, summed.total
from {{ ref('documents') }} as documents
inner join {{ ref('int_line_sums') }} as summed on {{ same_document('summed', 'documents') }}
where not summed.is_returned
    and documents.amount_source = 'document'
    and abs(documents.gross - summed.total) > 0.01
