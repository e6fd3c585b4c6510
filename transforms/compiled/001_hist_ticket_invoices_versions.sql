-- path: models/history/hist_ticket_invoices_versions.sql
-- kind: incremental
-- schema: history
-- table: ticket_invoices_versions

select rows_now.*, cast($build_moment as timestamp) as dbt_valid_from from "staging"."ticket_invoices" as rows_now

-- later:
with present as (
        select rows_now.*, hash(shop_id, id, ticket_id, customer_id, customer_internal_id, notes, number, status, ticket_ref, ticket_no, customer_name, customer_email, customer_mobile, customer_phone, customer_company, amount_total, tax_total, discount_total, created_at, created_day, due_at, due_day, last_updated_at, last_updated_day, deleted_at, unreadable) as content from "staging"."ticket_invoices" as rows_now
    ),

    placed as (
        select
            shop_id, id, dbt_valid_from,
            case when seen_at is not null then hash(cast(shop_id as TEXT), cast(id as TEXT), cast(ticket_id as TEXT), cast(customer_id as TEXT), cast(customer_internal_id as TEXT), cast(notes as TEXT), cast(number as TEXT), cast(status as TEXT), cast(ticket_ref as TEXT), cast(ticket_no as TEXT), cast(customer_name as TEXT), cast(customer_email as TEXT), cast(customer_mobile as TEXT), cast(customer_phone as TEXT), cast(customer_company as TEXT), cast(amount_total as DECIMAL(28,4)), cast(tax_total as DECIMAL(28,4)), cast(discount_total as DECIMAL(28,4)), cast(created_at as TIMESTAMP WITH TIME ZONE), cast(created_day as DATE), cast(due_at as TIMESTAMP WITH TIME ZONE), cast(due_day as DATE), cast(last_updated_at as TIMESTAMP WITH TIME ZONE), cast(last_updated_day as DATE), cast(deleted_at as TIMESTAMP WITH TIME ZONE), cast(unreadable as TEXT)) end as content,
            row_number() over (partition by shop_id, id order by dbt_valid_from desc) as place
        from "history"."ticket_invoices_versions"
    ),

    newest as (
        select * from placed where place = 1
    )

    select
        coalesce(present.shop_id, newest.shop_id) as shop_id,
        coalesce(present.id, newest.id) as id,
        present.ticket_id,
        present.customer_id,
        present.customer_internal_id,
        present.notes,
        present.number,
        present.status,
        present.ticket_ref,
        present.ticket_no,
        present.customer_name,
        present.customer_email,
        present.customer_mobile,
        present.customer_phone,
        present.customer_company,
        present.amount_total,
        present.tax_total,
        present.discount_total,
        present.created_at,
        present.created_day,
        present.due_at,
        present.due_day,
        present.last_updated_at,
        present.last_updated_day,
        present.seen_at,
        present.deleted_at,
        present.unreadable,
        -- A clock that was set back would put the new version before the one it follows.
        case
            when newest.dbt_valid_from >= cast($build_moment as timestamp) then newest.dbt_valid_from + interval '1 microsecond'
            else cast($build_moment as timestamp)
        end as dbt_valid_from
    from present
    left join newest
        on newest.shop_id = present.shop_id and newest.id = present.id
    where present.content is distinct from newest.content
