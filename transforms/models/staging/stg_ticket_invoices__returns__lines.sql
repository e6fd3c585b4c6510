{{ staged('ticket_invoices__returns__lines', parent='invoice_id', above='return_row_key',
    ids=['id'],
    texts=['product_code', 'item_description'],
    numbers=['quantity', 'unit_price', 'discount', 'tax', 'total', 'cost']) }}
