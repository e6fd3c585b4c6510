{{ version_intervals(ref('hist_customers_versions'), ['shop_id', 'id']) }}
