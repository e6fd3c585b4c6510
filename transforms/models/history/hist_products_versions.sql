{{ new_versions(ref('stg_products'), ['shop_id', 'id'],
    changed='int_changed_records', changed_key={'shop_id': 'shop_id', 'record_type': "'product'", 'record_id': 'id'}) }}
