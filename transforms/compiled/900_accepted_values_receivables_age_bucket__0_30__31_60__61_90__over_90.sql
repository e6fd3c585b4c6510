-- path: models/marts/receivables.yml
-- kind: test

with all_values as (

    select
        age_bucket as value_field,
        count(*) as n_records

    from "marts"."receivables"
    group by age_bucket

)

select *
from all_values
where value_field not in (
    '0-30','31-60','61-90','over 90'
)
