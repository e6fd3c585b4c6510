{{ staged('ticket_comments',
    ids=['ticket__id as ticket_id', 'status__id as status_id', 'user__id as user_id'],
    texts=['comment', 'type', 'ticket__ticket_ref as ticket_ref', 'ticket__ticket_no as ticket_no',
        'status__label as status_label', 'user__first_name as user_first_name',
        'user__last_name as user_last_name', 'user__email as user_email'],
    moments=['created_date as created', 'last_updated']) }}
