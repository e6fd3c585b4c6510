-- path: models/marts/calendar.sql
-- kind: table
-- schema: marts
-- table: calendar
-- tests: grain_calendar_shop_id__day

with numbers as (
    -- A little over 27 years of days.
    select cast(generated_number as integer) - 1 as number from (
    select
        generate_series as generated_number
    from generate_series(1, 10000)
) as series
),

seen_days as (
    select shop_id, created_day as day, true as is_business from "intermediate"."int_documents"
    union all
    select shop_id, day, true as is_business from "marts"."payments" where amount <> 0
    union all
    select shop_id, created_day as day, true as is_business from "staging"."tickets" where deleted_at is null
    union all
    select shop_id, created_day as day, false as is_business from "staging"."purchase_orders"
    union all
    select shop_id, created_day as day, false as is_business from "staging"."expenses"
),

-- A customer came, or paid.
business_days as (
    select shop_id, day from seen_days where is_business group by 1, 2
),

first_days as (
    select shop_id, min(day) as first_day from seen_days group by 1
),

spans as (
    select
        shops.*,
        -- A document dated 1970 by mistake does not stretch the calendar past what it can hold.
        greatest(
            coalesce(least(first_days.first_day, shops.today), shops.today),
            cast(

    (shops.today + cast(-9900 as bigint) * interval 1 day) as date)
        ) as first_day,
        cast(

    (shops.today + cast(60 as bigint) * interval 1 day) as date) as last_day
    from "intermediate"."int_shops" as shops
    left join first_days on first_days.shop_id = shops.shop_id
),

days as (
    select
        spans.*,
        cast(

    (spans.first_day + cast(numbers.number as bigint) * interval 1 day) as date) as day
    from spans
    inner join numbers
        on numbers.number <= 
        (date_diff('day', spans.first_day::timestamp, spans.last_day::timestamp ))
    
),

named as (
    select
        days.*,
        -- 1 January 2001 was a Monday.
        mod(mod(
        (date_diff('day', cast('2001-01-01' as date)::timestamp, day::timestamp ))
    , 7) + 7, 7) + 1 as weekday
    from days
),

judged as (
    select
        named.*,
        case
            when concat(',', closed_days, ',') like concat('%,', cast(day as TEXT), ',%')
                then false
            when concat(',', closed_weekdays, ',') like concat('%,', case weekday
                when 1 then 'mon' when 2 then 'tue' when 3 then 'wed' when 4 then 'thu'
                when 5 then 'fri' when 6 then 'sat' else 'sun' end, '%')
                then false
            else true
        end as is_open,
        (
            try_cast(substr(opening_hours, 1, 2) as integer) * 60
            + try_cast(substr(opening_hours, 4, 2) as integer)
        ) as opens_minute,
        (
            try_cast(substr(opening_hours, 7, 2) as integer) * 60
            + try_cast(substr(opening_hours, 10, 2) as integer)
        ) as closes_minute
    from named
),

hours as (
    select
        judged.*,
        judged.is_open and business_days.day is not null as is_business_day,
        case
            when not is_open then 0
            -- Hours nobody can read count as the whole day, so that no cycle time is lost.
            when opens_minute is null or closes_minute is null or closes_minute <= opens_minute then 1440
            else closes_minute - opens_minute
        end as open_minutes
    from judged
    left join business_days on business_days.shop_id = judged.shop_id and business_days.day = judged.day
)

select
    shop_id,
    day,
    cast(date_trunc('month', day) as date) as month,
    weekday,
    is_open,
    is_business_day,
    day = today as is_today,
    max(case when is_business_day then day end) over (
        partition by shop_id order by day rows between unbounded preceding and 1 preceding
    ) as last_open_day,
    cast(

    (day + cast(-28 as bigint) * interval 1 day) as date) as four_weeks_earlier_day,
    case when open_minutes = 1440 then 0 else opens_minute end as opens_minute,
    open_minutes,
    cast(
        sum(open_minutes) over (partition by shop_id order by day rows unbounded preceding)
        - open_minutes as bigint
    ) as open_minutes_before
from hours
