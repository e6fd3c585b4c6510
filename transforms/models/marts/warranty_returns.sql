-- The service links no repair to its warranty: a return is the same customer with the same device
-- within 30 days of being done.
-- A view: what it says stands in `tickets`.
{{ config(materialized='view') }}
select
    again.shop_id,
    again.id as ticket_id,
    again.ticket_ref,
    again.comeback_of as first_ticket_id,
    again.customer_id,
    again.customer_name,
    again.device,
    again.issue_type,
    first.issue_type as first_issue_type,
    first.technician_id as first_technician_id,
    first.technician as first_technician,
    again.technician_id,
    again.technician,
    first.done_day as first_done_day,
    again.opened_day,
    cast({{ dbt.datediff('first.done_day', 'again.opened_day', 'day') }} as bigint) as days_after,
    again.is_done,
    first.invoiced as first_invoiced,
    again.invoiced
from {{ ref('tickets') }} as again
inner join {{ ref('tickets') }} as first
    on first.shop_id = again.shop_id
    and first.id = again.comeback_of
