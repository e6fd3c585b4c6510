{% set key = {'shop_id': 'shop_id', 'month': 'month'} %}
{{ config(meta=replaced_by('int_changed_days', key)) }}
select
    shop_id,
    month,
    product_key,
    max(product) as product,
    max(category) as category,
    max(product_type) as product_type,
    {% for sum in ['quantity', 'revenue', 'tax', 'net', 'cost', 'margin', 'uncosted'] -%}
    cast(sum({{ sum }}) as {{ money() }}) as {{ sum }}{{ ',' if not loop.last }}
    {% endfor %}
from {{ ref('int_product_months') }} as months
where {{ is_changed('int_changed_days', 'months', key) }}
group by 1, 2, 3
