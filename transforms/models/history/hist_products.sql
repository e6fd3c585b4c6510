{{ version_intervals(ref('hist_products_versions'), ['shop_id', 'id']) }}
