-- The ticket that a record means, by whatever it calls it: id, reference or number (specification, Ticket). A plain
-- number may be either; which of them it is, most records of such a list say, shop by shop. A table: the join with
-- tickets has the size of the lists.
{{ config(materialized='table') }}
{% set lists = ['ticket_invoices', 'ticket_comments', 'ticket_timers', 'leads', 'appointments'] %}
with tickets as (
    select shop_id, id, ticket_ref, ticket_no, created_day from {{ ref('stg_tickets') }}
),

shops as (
    select shop_id, max(case when {{ is_plain_number('id') }} then 1 else 0 end) as plain_ids from tickets group by 1
),

numbers as (
    select shop_id, number, min(id) as id, min(created_day) as created_day
    from (
        select shop_id, ticket_ref as number, id, created_day from tickets
        union all
        select shop_id, ticket_no as number, id, created_day from tickets
    ) as called
    where number is not null
    group by 1, 2
    having min(id) = max(id)
),

said as (
    {%- for list in lists %}
    select
        shop_id, '{{ list }}' as record_type, id as record_id,
        ticket_id as called, coalesce(ticket_id, ticket_ref, ticket_no) as number
    from {{ ref('stg_' ~ list) }}
    where deleted_at is null and coalesce(ticket_id, ticket_ref, ticket_no) is not null
    {{ 'union all' if not loop.last }}
    {%- endfor %}
),

met as (
    select
        said.*,
        tickets.id as by_id, tickets.created_day as day_by_id,
        numbers.id as by_number, numbers.created_day as day_by_number
    from said
    left join tickets on tickets.shop_id = said.shop_id and tickets.id = said.called
    left join numbers on numbers.shop_id = said.shop_id and numbers.number = said.number
),

-- Also whether the other meaning may be tried: a plain number that is none of the ids known may be an id yet unknown.
decided as (
    select
        met.*,
        met.called is not null and votes.says_ids as is_id,
        not (coalesce(shops.plain_ids, 0) = 1 and {{ is_plain_number('met.number') }}) as is_either
    from met
    left join (
        select shop_id, record_type, count(by_id) >= count(by_number) as says_ids
        from met
        where called is not null
        group by 1, 2
    ) as votes on votes.shop_id = met.shop_id and votes.record_type = met.record_type
    left join shops on shops.shop_id = met.shop_id
),

found as (
    select
        decided.*,
        coalesce(
            case when is_id then by_id end,
            case when is_either or not is_id then by_number end,
            case when is_either then by_id end,
            case when by_id is null then called end
        ) as ticket_id
    from decided
)

select
    shop_id,
    record_type,
    record_id,
    ticket_id,
    case ticket_id when by_id then day_by_id when by_number then day_by_number end as ticket_day,
    coalesce(ticket_id in (by_id, by_number), false) as is_known
from found
where ticket_id is not null
