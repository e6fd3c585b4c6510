{{ new_versions(ref('stg_customers'), ['shop_id', 'id']) }}
