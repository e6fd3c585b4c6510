{{ version_intervals(ref('hist_sales_documents_versions'), ['shop_id', 'effect_key']) }}
