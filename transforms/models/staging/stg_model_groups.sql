{{ staged('model_groups',
    texts=['name'],
    moments=['created_date as created']) }}
