{{ new_versions(ref('sales_documents'), ['shop_id', 'effect_key'], gone=true) }}
