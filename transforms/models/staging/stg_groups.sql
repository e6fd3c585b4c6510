{{ staged('groups',
    texts=['name', 'billing_name', 'billing_mobile', 'billing_email'],
    numbers=['discount'],
    moments=['created_date as created']) }}
