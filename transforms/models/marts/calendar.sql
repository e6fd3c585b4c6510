with numbers as (
    -- A little over 27 years of days.
    select cast(generated_number as integer) - 1 as number from ({{ dbt.generate_series(10000) }}) as series
),

seen_days as (
    select shop_id, created_day as day, true as is_business from {{ ref('int_documents') }}
    union all
    select shop_id, day, true as is_business from {{ ref('payments') }} where amount <> 0
    union all
    select shop_id, created_day as day, true as is_business from {{ ref('stg_tickets') }} where deleted_at is null
    union all
    select shop_id, created_day as day, false as is_business from {{ ref('stg_purchase_orders') }}
    union all
    select shop_id, created_day as day, false as is_business from {{ ref('stg_expenses') }}
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
            cast({{ dbt.dateadd('day', -9900, 'shops.today') }} as date)
        ) as first_day,
        cast({{ dbt.dateadd('day', 60, 'shops.today') }} as date) as last_day
    from {{ ref('int_shops') }} as shops
    left join first_days on first_days.shop_id = shops.shop_id
),

days as (
    select
        spans.*,
        cast({{ dbt.dateadd('day', 'numbers.number', 'spans.first_day') }} as date) as day
    from spans
    inner join numbers
        on numbers.number <= {{ dbt.datediff('spans.first_day', 'spans.last_day', 'day') }}
),

named as (
    select
        days.*,
        -- 1 January 2001 was a Monday.
        mod(mod({{ dbt.datediff("cast('2001-01-01' as date)", 'day', 'day') }}, 7) + 7, 7) + 1 as weekday
    from days
),

judged as (
    select
        named.*,
        case
            when concat(',', closed_days, ',') like concat('%,', cast(day as {{ dbt.type_string() }}), ',%')
                then false
            when concat(',', closed_weekdays, ',') like concat('%,', case weekday
                when 1 then 'mon' when 2 then 'tue' when 3 then 'wed' when 4 then 'thu'
                when 5 then 'fri' when 6 then 'sat' else 'sun' end, '%')
                then false
            else true
        end as is_open,
        {{ clock_minutes('opening_hours', 1) }} as opens_minute,
        {{ clock_minutes('opening_hours', 7) }} as closes_minute
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
    {{ month_of('day') }} as month,
    weekday,
    is_open,
    is_business_day,
    day = today as is_today,
    max(case when is_business_day then day end) over (
        partition by shop_id order by day rows between unbounded preceding and 1 preceding
    ) as last_open_day,
    cast({{ dbt.dateadd('day', -28, 'day') }} as date) as four_weeks_earlier_day,
    case when open_minutes = 1440 then 0 else opens_minute end as opens_minute,
    open_minutes,
    cast(
        sum(open_minutes) over (partition by shop_id order by day rows unbounded preceding)
        - open_minutes as bigint
    ) as open_minutes_before
from hours
