{{ staged('pos_orders',
    ids=['customer__id as customer_id', 'customer__internal_id as customer_internal_id'],
    texts=['notes', 'number', 'status', 'customer__name as customer_name',
        'customer__email as customer_email', 'customer__mobile as customer_mobile',
        'customer__phone as customer_phone', 'customer__company as customer_company'],
    numbers=['amount_total', 'tax_total', 'discount_total'],
    moments=['created_date as created', 'due_date as due', 'last_updated']) }}
