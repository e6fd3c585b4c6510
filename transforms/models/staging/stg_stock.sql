{{ staged('stock',
    ids=['product__id as product_id'],
    texts=['location', 'product__name as product_name', 'product__code as product_code'],
    numbers=['quantity', 'remaining', 'cog_per_item as cost_per_item'],
    flags=['serialize_stock as has_serialised_stock', 'internal_use as is_internal_use',
        'breakage as is_breakage'],
    moments=['expired_on as expiry', 'created_date as created']) }}
