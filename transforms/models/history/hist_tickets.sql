{{ version_intervals(ref('hist_tickets_versions'), ['shop_id', 'id']) }}
