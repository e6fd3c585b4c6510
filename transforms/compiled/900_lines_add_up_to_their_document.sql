-- path: tests/lines_add_up_to_their_document.sql
-- kind: test
-- severity: warn

-- A document's lines are its total. A shop may round otherwise: a finding, not a fault.

select documents.shop_id, documents.document_type, documents.document_id, documents.gross, summed.total
from "marts"."documents" as documents
inner join "intermediate"."int_line_sums" as summed on summed.shop_id = documents.shop_id
        and summed.document_type = documents.document_type
        and summed.document_id = documents.document_id
where not summed.is_returned
    and documents.amount_source = 'document'
    and abs(documents.gross - summed.total) > 0.01
