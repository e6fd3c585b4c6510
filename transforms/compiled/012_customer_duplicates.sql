-- path: models/marts/customer_duplicates.sql
-- kind: table
-- schema: marts
-- table: customer_duplicates
-- tests: grain_customer_duplicates_shop_id__matched_on__matched_value__customer_id

with customers as (
    select * from "staging"."customers" where deleted_at is null
),

marks as (
    select shop_id, id, 'email' as matched_on, lower(trim(email)) as matched_value
    from customers
    where email like '%_@_%'
    union
    select shop_id, id, 'phone' as matched_on, right(translate(mobile, ' +-()./', ''), 8) as matched_value
    from customers
    where length(translate(mobile, ' +-()./', '')) >= 7
    union
    select shop_id, id, 'phone' as matched_on, right(translate(phone, ' +-()./', ''), 8) as matched_value
    from customers
    where length(translate(phone, ' +-()./', '')) >= 7
    union
    select shop_id, id, 'name' as matched_on, lower(trim(name)) as matched_value
    from customers
    where trim(name) like '% %'
),

found as (
    select
        marks.*,
        count(*) over (partition by marks.shop_id, matched_on, matched_value) as same,
        row_number() over (
            partition by marks.shop_id, matched_on, matched_value order by customers.created_day, marks.id
        ) as place
    from marks
    inner join customers on customers.shop_id = marks.shop_id and customers.id = marks.id
)

select
    found.shop_id,
    found.matched_on,
    found.matched_value,
    found.id as customer_id,
    customers.name,
    customers.email,
    customers.mobile,
    customers.created_day,
    customers.documents,
    customers.tickets,
    customers.last_visit_day,
    cast(found.same as bigint) as customers,
    found.place = 1 as is_oldest
from found
inner join "marts"."customers" as customers
    on customers.shop_id = found.shop_id and customers.id = found.id
where found.same > 1
