{{ staged('ticket_invoices__returns', parent='invoice_id',
    ids=['id'],
    texts=['number', 'reason'],
    numbers=['amount'],
    moments=['created_date as created']) }}
