{{ staged('issue_types',
    texts=['label', 'photourls__large as photo_url'],
    moments=['created_date as created']) }}
