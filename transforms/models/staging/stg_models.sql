{{ staged('models',
    ids=['model_group__id as model_group_id'],
    texts=['status', 'model', 'make', 'model_group__name as model_group_name',
        'photourls__large as photo_url'],
    moments=['created_date as created']) }}
