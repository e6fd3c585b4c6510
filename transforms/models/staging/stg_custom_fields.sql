{{ staged('custom_fields',
    ids=['category_id', 'tab_id'],
    texts=['type', 'name', 'label', 'field_type', 'options'],
    flags=['required as is_required'],
    moments=['created_date as created']) }}
