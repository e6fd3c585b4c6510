{{ staged('appointments__attendees', parent='appointment_id',
    ids=['id'],
    texts=['first_name', 'last_name', 'email']) }}
