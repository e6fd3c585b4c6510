{{ staged('time_clock',
    ids=['user__id as user_id'],
    texts=['in_notes', 'out_notes', 'user__first_name as user_first_name',
        'user__last_name as user_last_name', 'user__email as user_email'],
    moments=['in_date as clocked_in', 'out_date as clocked_out', 'created_date as created']) }}
