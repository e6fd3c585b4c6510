{{ staged('pos_orders__lines', parent='order_id',
    ids=['id'],
    texts=['product_code', 'item_description'],
    numbers=['quantity', 'unit_price', 'discount', 'tax', 'total', 'cost']) }}
