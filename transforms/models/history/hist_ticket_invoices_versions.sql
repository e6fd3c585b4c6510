{{ new_versions(ref('stg_ticket_invoices'), ['shop_id', 'id'],
    changed='int_changed_records', changed_key={'shop_id': 'shop_id', 'record_type': "'ticket_invoice'", 'record_id': 'id'}) }}
