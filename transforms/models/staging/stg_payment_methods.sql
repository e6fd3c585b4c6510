{{ staged('payment_methods',
    texts=['title'],
    moments=['created_date as created']) }}
