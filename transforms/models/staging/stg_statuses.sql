{{ staged('statuses',
    texts=['label', 'type', 'color'],
    flags=['in_pipeline as is_in_pipeline'],
    moments=['created_date as created']) }}
