{{ new_versions(ref('stg_tax_rates'), ['shop_id', 'id']) }}
