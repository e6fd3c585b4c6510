-- path: models/marts/appointments.yml
-- kind: test

with all_values as (

    select
        outcome as value_field,
        count(*) as n_records

    from "marts"."appointments"
    group by outcome

)

select *
from all_values
where value_field not in (
    'upcoming','kept','no_show','cancelled','unknown'
)
