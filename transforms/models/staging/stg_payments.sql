{{ staged('payments',
    ids=['payment_id', 'payment_method__id as payment_method_id', 'invoice__id as invoice_id',
        'pos__id as pos_id', 'return__id as return_id'],
    texts=['payment_note', 'kind', 'payment_method__title as payment_method_title',
        'invoice__number as invoice_number', 'pos__number as pos_number', 'return__number as return_number'],
    numbers=['amount'],
    flags=['is_advance'],
    moments=['date as paid']) }}
