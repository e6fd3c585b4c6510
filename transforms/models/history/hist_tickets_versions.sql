{{ new_versions(ref('stg_tickets'), ['shop_id', 'id']) }}
