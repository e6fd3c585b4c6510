{{ staged('categories',
    ids=['parent_category__id as parent_category_id'],
    texts=['name', 'parent_category__name as parent_category_name'],
    numbers=['profit_margin'],
    moments=['created_date as created']) }}
