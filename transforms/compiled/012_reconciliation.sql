-- path: models/marts/reconciliation.sql
-- kind: table
-- schema: marts
-- table: reconciliation
-- tests: grain_reconciliation_shop_id__report__period

with ours as (
    select shop_id, 'monthly_sales' as report, month as period, total from "marts"."monthly_sales"
    union all
    select shop_id, 'monthly_purchases' as report, month as period, total from "marts"."monthly_purchases"
    union all
    select shop_id, 'daily_sales' as report, day as period, total from "marts"."daily_sales"
    union all
    select shop_id, 'daily_purchases' as report, day as period, total from "marts"."daily_purchases"
),

compared as (
    select
        theirs.shop_id,
        theirs.report,
        theirs.period,
        cast(coalesce(ours.total, 0) as decimal(28, 4)) as ours,
        cast(theirs.total as decimal(28, 4)) as theirs,
        theirs.fetched_at
    from "ops"."service_reports" as theirs
    left join ours
        on ours.shop_id = theirs.shop_id
        and ours.report = theirs.report
        and ours.period = theirs.period
    where theirs.total is not null
)

select
    shop_id,
    report,
    period,
    ours,
    theirs,
    cast(ours - theirs as decimal(28, 4)) as difference,
    -- To the cent: the service rounds its totals, ours keep four places.
    abs(ours - theirs) <= 0.005 as matches,
    fetched_at
from compared
