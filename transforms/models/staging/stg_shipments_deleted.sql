{{ staged('shipments_deleted',
    ids=['ticket__id as ticket_id', 'customer__id as customer_id',
        'customer__internal_id as customer_internal_id'],
    texts=['pin', 'carrier', 'status', 'ticket__ticket_ref as ticket_ref', 'ticket__ticket_no as ticket_no',
        'customer__name as customer_name', 'customer__email as customer_email',
        'customer__mobile as customer_mobile', 'customer__phone as customer_phone',
        'customer__company as customer_company'],
    moments=['created_date as created', 'deleted_date as deletion']) }}
