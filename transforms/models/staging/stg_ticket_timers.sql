{{ staged('ticket_timers',
    ids=['ticket__id as ticket_id', 'user__id as user_id'],
    texts=['notes', 'ticket__ticket_ref as ticket_ref', 'ticket__ticket_no as ticket_no',
        'user__first_name as user_first_name', 'user__last_name as user_last_name',
        'user__email as user_email'],
    moments=['start_date as start', 'end_date as end', 'created_date as created']) }}
