with payments as (
    select * from {{ ref('payments') }} where day is not null and amount is not null
)

select
    payments.shop_id,
    payments.day,
    case
        when tickets.id is not null then coalesce(tickets.issue_type_id, tickets.issue_type, 'none')
        when payments.document_type = 'pos_order' then 'counter'
        else 'none'
    end as issue_type_key,
    max(tickets.issue_type) as issue_type,
    cast(sum(payments.amount) as {{ money() }}) as taken,
    {% for kind in ['sale', 'receivable', 'advance', 'refund'] -%}
    cast(sum(case when payments.kind_chosen = '{{ kind }}' then payments.amount else 0 end) as {{ money() }})
        as {{ kind }}s,
    {% endfor -%}
    cast(count(*) as bigint) as payments,
    cast(count(distinct tickets.id) as bigint) as tickets
from payments
left join {{ ref('tickets') }} as tickets on tickets.shop_id = payments.shop_id and tickets.id = payments.ticket_id
group by 1, 2, 3
