-- Documents whose lines do not add up to their total. A table: what a night finds stands until it is mended.
{{ config(materialized='table', meta=replaced_by('int_changed_figures', document_key())) }}
select documents.shop_id, documents.document_type, documents.document_id, documents.gross, summed.total
from {{ ref('documents') }} as documents
inner join {{ ref('int_line_sums') }} as summed
    on summed.shop_id = documents.shop_id
    and summed.document_type = documents.document_type
    and summed.document_id = documents.document_id
where not summed.is_returned
    and documents.amount_source = 'document'
    and abs(documents.gross - summed.total) > 0.01
    and {{ is_changed('int_changed_figures', 'summed', document_key()) }}
