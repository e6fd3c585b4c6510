with lines as (
    select
        lines.shop_id, lines.ticket_id,
        sum({{ line_total('lines') }} + case when untaxed.shop_id is null then 0 else coalesce(lines.tax, 0) end) as amount
    from {{ ref('stg_tickets__lines') }} as lines
    left join {{ ref('int_untaxed_lines') }} as untaxed on untaxed.shop_id = lines.shop_id
    group by 1, 2
),

-- Payments made on the ticket itself; those of an invoice are in what it still has due.
paid as (
    select shop_id, ticket_id, sum(amount) as amount
    from {{ ref('payments') }}
    where ticket_id is not null and document_id is null
    group by 1, 2
),

figures as (
    select
        tickets.*,
        shops.today,
        case
            when tickets.invoices > 0 then tickets.invoiced
            else cast(lines.amount as {{ money() }})
        end as amount,
        case
            when tickets.invoices > 0 then 'invoice'
            when lines.amount is not null then 'lines'
            else 'unknown'
        end as amount_source,
        cast(
            case when tickets.invoices > 0 then tickets.due
                else lines.amount - coalesce(paid.amount, 0) end as {{ money() }}
        ) as still_due
    from {{ ref('tickets') }} as tickets
    inner join {{ ref('int_shops') }} as shops on shops.shop_id = tickets.shop_id
    left join lines on lines.shop_id = tickets.shop_id and lines.ticket_id = tickets.id
    left join paid on paid.shop_id = tickets.shop_id and paid.ticket_id = tickets.id
)

select
    shop_id,
    id as ticket_id,
    ticket_ref,
    ticket_no,
    short_info,
    customer_id,
    customer_name,
    technician,
    issue_type,
    status,
    is_done,
    opened_day,
    coalesce(opened_day = today, false) as is_opened_today,
    age_days,
    amount,
    amount_source,
    cast(amount - still_due as {{ money() }}) as paid,
    still_due as due
from figures
where not is_cancelled
    -- Below a cent nothing is owed. No price yet: unpaid as long as it is worked on.
    and (still_due >= 0.01 or (amount is null and not is_closed))
