{{ version_intervals(ref('hist_tax_rates_versions'), ['shop_id', 'id']) }}
