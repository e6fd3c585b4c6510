-- path: models/marts/takings_by_issue_type.sql
-- kind: table
-- schema: marts
-- table: takings_by_issue_type
-- tests: grain_takings_by_issue_type_shop_id__day__issue_type_key

with payments as (
    select * from "marts"."payments" where day is not null and amount is not null
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
    cast(sum(payments.amount) as decimal(28, 4)) as taken,
    cast(sum(case when payments.kind_chosen = 'sale' then payments.amount else 0 end) as decimal(28, 4))
        as sales,
    cast(sum(case when payments.kind_chosen = 'receivable' then payments.amount else 0 end) as decimal(28, 4))
        as receivables,
    cast(sum(case when payments.kind_chosen = 'advance' then payments.amount else 0 end) as decimal(28, 4))
        as advances,
    cast(sum(case when payments.kind_chosen = 'refund' then payments.amount else 0 end) as decimal(28, 4))
        as refunds,
    cast(count(*) as bigint) as payments,
    cast(count(distinct tickets.id) as bigint) as tickets
from payments
left join "marts"."tickets" as tickets on tickets.shop_id = payments.shop_id and tickets.id = payments.ticket_id
group by 1, 2, 3
