{{ staged('pos_orders__returns', parent='order_id',
    ids=['id'],
    texts=['number', 'reason'],
    numbers=['amount'],
    moments=['created_date as created']) }}
