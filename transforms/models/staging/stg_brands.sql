{{ staged('brands',
    texts=['name', 'logourls__large as logo_url'],
    moments=['created_date as created']) }}
