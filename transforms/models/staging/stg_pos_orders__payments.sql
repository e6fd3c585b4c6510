{{ staged('pos_orders__payments', parent='order_id',
    ids=['id', 'payment_id', 'payment_method__id as payment_method_id'],
    texts=['payment_note', 'payment_method__title as payment_method_title'],
    numbers=['amount'],
    flags=['is_advance'],
    moments=['date as paid']) }}
