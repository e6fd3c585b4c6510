{{ staged('ticket_invoices__lines', parent='invoice_id',
    ids=['id'],
    texts=['product_code', 'item_description'],
    numbers=['quantity', 'unit_price', 'discount', 'tax', 'total', 'cost']) }}
