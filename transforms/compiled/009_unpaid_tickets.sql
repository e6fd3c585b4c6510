-- path: models/marts/unpaid_tickets.sql
-- kind: table
-- schema: marts
-- table: unpaid_tickets
-- tests: grain_unpaid_tickets_shop_id__ticket_id

with lines as (
    select
        lines.shop_id, lines.ticket_id,
        sum(coalesce(lines.total, case
        when abs(lines.quantity) < 1000 and abs(lines.unit_price) < 10000000
            then cast(try_cast(lines.quantity as decimal(7, 4)) * try_cast(lines.unit_price as decimal(11, 4)) as decimal(28, 4))
        else case
        when abs(lines.quantity) < 1000000000000 and abs(lines.unit_price) < 1000000000000
            then cast(lines.quantity * lines.unit_price as decimal(28, 4))
    end
    end - coalesce(lines.discount, 0)) + case when untaxed.shop_id is null then 0 else coalesce(lines.tax, 0) end) as amount
    from "staging"."tickets__lines" as lines
    left join "intermediate"."int_untaxed_lines" as untaxed on untaxed.shop_id = lines.shop_id
    group by 1, 2
),

-- Payments made on the ticket itself; those of an invoice are in what it still has due.
paid as (
    select shop_id, ticket_id, sum(amount) as amount
    from "marts"."payments"
    where ticket_id is not null and document_id is null
    group by 1, 2
),

figures as (
    select
        tickets.*,
        shops.today,
        case
            when tickets.invoices > 0 then tickets.invoiced
            else cast(lines.amount as decimal(28, 4))
        end as amount,
        case
            when tickets.invoices > 0 then 'invoice'
            when lines.amount is not null then 'lines'
            else 'unknown'
        end as amount_source,
        cast(
            case when tickets.invoices > 0 then tickets.due
                else lines.amount - coalesce(paid.amount, 0) end as decimal(28, 4)
        ) as still_due
    from "marts"."tickets" as tickets
    inner join "intermediate"."int_shops" as shops on shops.shop_id = tickets.shop_id
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
    cast(amount - still_due as decimal(28, 4)) as paid,
    still_due as due
from figures
where not is_cancelled
    -- Below a cent nothing is owed. No price yet: unpaid as long as it is worked on.
    and (still_due >= 0.01 or (amount is null and not is_closed))
