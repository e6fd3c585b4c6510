select
    shop_id,
    {{ month_of('day') }} as month,
    {% for name in ['total', 'cost', 'shipping_cost', 'tax', 'net', 'expenses'] -%}
    cast(sum({{ name }}) as {{ money() }}) as {{ name }},
    {% endfor -%}
    cast(sum(document_count) as bigint) as document_count
from {{ ref('daily_purchases') }}
group by 1, 2
