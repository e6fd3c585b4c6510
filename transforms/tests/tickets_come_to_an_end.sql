-- A shop nearly all of whose old tickets are open: then its statuses are not understood, not its
-- work undone. `ops.statuses` says how each is taken; the settings `done_statuses` and
-- `cancelled_statuses` decide.
{{ config(severity='warn') }}
with old as (
    select
        shop_id,
        count(*) as tickets,
        sum(case when is_closed then 1 else 0 end) as closed
    from {{ ref('tickets') }}
    where age_days > 60
    group by 1
)

select shop_id, tickets, closed
from old
where tickets >= 20 and closed * 10 < tickets
