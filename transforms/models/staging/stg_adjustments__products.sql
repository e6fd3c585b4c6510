{{ staged('adjustments__products', parent='adjustment_id',
    ids=['id', 'product_id', 'stock_id'],
    texts=['type'],
    numbers=['quantity'],
    flags=['internal_use as is_internal_use', 'breakage as is_breakage']) }}
