{{ new_versions(ref('stg_products'), ['shop_id', 'id']) }}
