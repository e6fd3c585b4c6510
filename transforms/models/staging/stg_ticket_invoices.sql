{{ staged('ticket_invoices',
    ids=['ticket__id as ticket_id', 'customer__id as customer_id',
        'customer__internal_id as customer_internal_id'],
    texts=['notes', 'number', 'status', 'ticket__ticket_ref as ticket_ref', 'ticket__ticket_no as ticket_no',
        'customer__name as customer_name', 'customer__email as customer_email',
        'customer__mobile as customer_mobile', 'customer__phone as customer_phone',
        'customer__company as customer_company'],
    numbers=['amount_total', 'tax_total', 'discount_total'],
    moments=['created_date as created', 'due_date as due', 'last_updated']) }}
