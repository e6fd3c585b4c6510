{{ version_intervals(ref('hist_ticket_invoices_versions'), ['shop_id', 'id']) }}
