{{ staged('warranties',
    texts=['name', 'description', 'status'],
    numbers=['term_days'],
    moments=['created_date as created']) }}
