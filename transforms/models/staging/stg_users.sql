{{ staged('users',
    texts=['first_name', 'last_name', 'name', 'email', 'mobile', 'phone', 'address', 'website', 'gender',
        'type', 'status'],
    moments=['created_date as created']) }}
