-- path: tests/questions_add_up.sql
-- kind: test

-- Arithmetic: however money, tickets, tax and sales are grouped, the groups are the whole.

with compared as (
    
    select
        'money by issue type' as what,
        (select coalesce(sum(taken), 0) from "marts"."takings_by_issue_type") as grouped,
        (select coalesce(sum(amount), 0) from "marts"."payments" where day is not null) as whole
    union all
    
    select
        'tax by rate' as what,
        (select coalesce(sum(tax), 0) from "marts"."tax_by_rate") as grouped,
        (select coalesce(sum(tax), 0) from "marts"."sales_documents" where effect_day is not null) as whole
    union all
    
    select
        'amounts by rate' as what,
        (select coalesce(sum(gross), 0) from "marts"."tax_by_rate") as grouped,
        (select coalesce(sum(gross), 0) from "marts"."sales_documents" where effect_day is not null) as whole
    union all
    
    select
        'lines by product' as what,
        (select coalesce(sum(revenue), 0) from "marts"."product_months") as grouped,
        (select coalesce(sum(total), 0) from "marts"."sales_lines" where day is not null) as whole
    union all
    
    select
        'tickets by technician and day' as what,
        (select coalesce(sum(tickets_opened + tickets_closed), 0) from "marts"."technician_periods"
            where period_kind = 'day') as grouped,
        (select count(opened_day) + count(case when is_done then done_day end) from "marts"."tickets") as whole
    union all
    
    select
        'tickets by technician and month' as what,
        (select coalesce(sum(tickets_opened + tickets_closed), 0) from "marts"."technician_periods"
            where period_kind = 'month') as grouped,
        (select count(opened_day) + count(case when is_done then done_day end) from "marts"."tickets") as whole
    union all
    
    select
        'tickets by technician and year' as what,
        (select coalesce(sum(tickets_opened + tickets_closed), 0) from "marts"."technician_periods"
            where period_kind = 'year') as grouped,
        (select count(opened_day) + count(case when is_done then done_day end) from "marts"."tickets") as whole
    union all
    
    -- What is dated outside the calendar (before 27 years, or to come) is on none of its days.
    select
        'money by day' as what,
        (select coalesce(sum(taken), 0) from "marts"."shop_days") as grouped,
        (select coalesce(sum(payments.amount), 0)
            from "marts"."payments" as payments
            inner join "marts"."shop_days" as days
                on days.shop_id = payments.shop_id and days.day = payments.day) as whole
    union all
    select
        'customers by month' as what,
        (select coalesce(sum(visits), 0) from "marts"."customer_months") as grouped,
        (select coalesce(sum(visits), 0) from "intermediate"."int_customer_months") as whole
    union all
    select
        'months of customers' as what,
        (select coalesce(sum(visits), 0) from "intermediate"."int_customer_months") as grouped,
        (select count(*) from (select distinct shop_id, customer_id, day from "intermediate"."int_visits") as came) as whole
)

select * from compared where grouped <> whole
