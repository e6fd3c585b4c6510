{{ staged('adjustments',
    texts=['reference_no', 'notes'],
    moments=['adjustment_date as adjustment', 'created_date as created']) }}
