-- path: models/marts/warranty_returns.sql
-- kind: view
-- schema: marts
-- table: warranty_returns
-- tests: grain_warranty_returns_shop_id__ticket_id

-- The service links no repair to its warranty: a return is the same customer with the same device
-- within 30 days of being done.
-- A view: what it says stands in `tickets`.

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
    cast(
        (date_diff('day', first.done_day::timestamp, again.opened_day::timestamp ))
     as bigint) as days_after,
    again.is_done,
    first.invoiced as first_invoiced,
    again.invoiced
from "marts"."tickets" as again
inner join "marts"."tickets" as first
    on first.shop_id = again.shop_id
    and first.id = again.comeback_of
