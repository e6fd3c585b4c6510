{{ staged('stock_count__products', parent='stock_count_id',
    ids=['id', 'product_id'],
    texts=['product_code', 'product_name'],
    numbers=['expected', 'counted', 'difference', 'quantity']) }}
