-- path: tests/reconciliation_is_complete.sql
-- kind: test

-- Every figure the service gave is compared, and the comparison is arithmetic.
select theirs.shop_id, theirs.report, theirs.period
from "ops"."service_reports" as theirs
left join "marts"."reconciliation" as compared
    on compared.shop_id = theirs.shop_id
    and compared.report = theirs.report
    and compared.period = theirs.period
where theirs.total is not null
    and (
        compared.shop_id is null
        or compared.difference <> compared.ours - compared.theirs
        or compared.matches <> (abs(compared.difference) <= 0.005)
    )
