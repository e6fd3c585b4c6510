{{ staged('preset_categories',
    texts=['name'],
    moments=['created_date as created']) }}
