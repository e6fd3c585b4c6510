{{ staged('serials',
    ids=['stock_id', 'product__id as product_id'],
    texts=['serial', 'status', 'product__name as product_name', 'product__code as product_code'],
    numbers=['term_in_days'],
    moments=['created_date as created']) }}
