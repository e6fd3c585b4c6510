{{ staged('expenses',
    ids=['category__id as category_id'],
    texts=['reference', 'notes', 'category__name as category_name'],
    numbers=['amount', 'tax'],
    moments=['created_date as created']) }}
