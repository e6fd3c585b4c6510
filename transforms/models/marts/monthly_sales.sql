select
    shop_id,
    {{ month_of('day') }} as month,
    {% for name in ['total', 'gross', 'tax', 'net', 'returns', 'ticket_total', 'pos_total'] -%}
    cast(sum({{ name }}) as {{ money() }}) as {{ name }},
    {% endfor -%}
    {% for name in ['ticket_invoice_count', 'pos_order_count', 'return_count'] -%}
    cast(sum({{ name }}) as bigint) as {{ name }},
    {% endfor -%}
    {% for name in ['cost', 'margin', 'uncosted'] -%}
    cast(sum({{ name }}) as {{ money() }}) as {{ name }}{{ ',' if not loop.last }}
    {% endfor -%}
from {{ ref('daily_sales') }}
group by 1, 2
