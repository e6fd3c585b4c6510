{{ new_versions(ref('stg_ticket_invoices'), ['shop_id', 'id']) }}
