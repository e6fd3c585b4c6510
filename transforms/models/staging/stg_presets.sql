{{ staged('presets',
    ids=['legal_document_id', 'category__id as category_id', 'brand__id as brand_id', 'model__id as model_id',
        'issue_type__id as issue_type_id'],
    texts=['name', 'category__name as category_name', 'brand__name as brand_name',
        'model__name as model_name', 'issue_type__label as issue_type_label'],
    moments=['created_date as created']) }}
