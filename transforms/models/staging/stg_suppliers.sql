{{ staged('suppliers',
    texts=['company', 'contact_name', 'mobile', 'phone', 'email', 'address', 'town', 'county', 'postcode',
        'country_code', 'status'],
    moments=['created_date as created']) }}
