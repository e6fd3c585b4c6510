{{ staged('expense_categories',
    texts=['name'],
    moments=['created_date as created']) }}
