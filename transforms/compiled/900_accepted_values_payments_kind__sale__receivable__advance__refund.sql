-- path: models/marts/payments.yml
-- kind: test

with all_values as (

    select
        kind as value_field,
        count(*) as n_records

    from "marts"."payments"
    group by kind

)

select *
from all_values
where value_field not in (
    'sale','receivable','advance','refund'
)
