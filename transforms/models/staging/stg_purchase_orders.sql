{{ staged('purchase_orders',
    ids=['supplier__id as supplier_id'],
    texts=['number', 'status', 'notes', 'supplier__company as supplier_company'],
    numbers=['cost', 'shipping_cost', 'tax_total'],
    moments=['created_date as created', 'received_date as received', 'expected_date as expected',
        'last_updated']) }}
