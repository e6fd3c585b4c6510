{{ new_versions(ref('stg_tickets'), ['shop_id', 'id'],
    changed='int_changed_records', changed_key={'shop_id': 'shop_id', 'record_type': "'ticket'", 'record_id': 'id'}) }}
