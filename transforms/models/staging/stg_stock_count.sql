{{ staged('stock_count',
    ids=['user__id as user_id'],
    texts=['reference', 'status', 'notes', 'user__first_name as user_first_name',
        'user__last_name as user_last_name', 'user__email as user_email'],
    moments=['created_date as created']) }}
