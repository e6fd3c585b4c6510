-- The service writes a device as `model|year`.
with named as (
    select
        tickets.*,
        coalesce(nullif(trim(split_part(device, '|', 1)), ''), 'unknown') as model,
        nullif(trim(split_part(device, '|', 2)), '') as model_year
    from {{ ref('tickets') }} as tickets
)

select
    shop_id,
    model,
    min(model_year) as earliest_year,
    max(model_year) as latest_year,
    {{ ticket_measures() }}
from named
group by 1, 2
