-- path: tests/tickets_come_to_an_end.sql
-- kind: test
-- severity: warn

-- A shop nearly all of whose old tickets are open: then its statuses are not understood, not its
-- work undone. `ops.statuses` says how each is taken; the settings `done_statuses` and
-- `cancelled_statuses` decide.

with old as (
    select
        tickets.shop_id,
        count(*) as tickets,
        sum(case when tickets.is_closed then 1 else 0 end) as closed
    from "marts"."tickets" as tickets
    inner join "intermediate"."int_shops" as shops on shops.shop_id = tickets.shop_id
    -- By the day they were opened: the age of a ticket that is done ends with that day.
    where 
        (date_diff('day', tickets.opened_day::timestamp, shops.today::timestamp ))
     > 60
    group by 1
)

select shop_id, tickets, closed
from old
where tickets >= 20 and closed * 10 < tickets
