{{ new_versions(ref('stg_customers'), ['shop_id', 'id'],
    changed='int_changed_records', changed_key={'shop_id': 'shop_id', 'record_type': "'customer'", 'record_id': 'id'}) }}
