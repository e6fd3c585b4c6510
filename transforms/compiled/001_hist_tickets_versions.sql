-- path: models/history/hist_tickets_versions.sql
-- kind: incremental
-- schema: history
-- table: tickets_versions

select rows_now.*, cast($build_moment as timestamp) as dbt_valid_from from "staging"."tickets" as rows_now

-- later:
with present as (
        select rows_now.*, hash(shop_id, id, status_id, issue_type_id, priority_id, customer_id, customer_internal_id, technician_id, invoice_id, ticket_ref, ticket_no, short_info, description, device, created_from, work_approved, status_label, issue_type_label, priority_label, customer_name, customer_email, customer_mobile, customer_phone, customer_company, technician_first_name, technician_last_name, technician_email, invoice_number, invoice_amount, invoice_last_payment_date, amount_total, discount, tax, created_at, created_day, last_updated_at, last_updated_day, due_at, due_day, deleted_at, unreadable) as content from "staging"."tickets" as rows_now
    ),

    placed as (
        select
            shop_id, id, dbt_valid_from,
            case when seen_at is not null then hash(cast(shop_id as TEXT), cast(id as TEXT), cast(status_id as TEXT), cast(issue_type_id as TEXT), cast(priority_id as TEXT), cast(customer_id as TEXT), cast(customer_internal_id as TEXT), cast(technician_id as TEXT), cast(invoice_id as TEXT), cast(ticket_ref as TEXT), cast(ticket_no as TEXT), cast(short_info as TEXT), cast(description as TEXT), cast(device as TEXT), cast(created_from as TEXT), cast(work_approved as TEXT), cast(status_label as TEXT), cast(issue_type_label as TEXT), cast(priority_label as TEXT), cast(customer_name as TEXT), cast(customer_email as TEXT), cast(customer_mobile as TEXT), cast(customer_phone as TEXT), cast(customer_company as TEXT), cast(technician_first_name as TEXT), cast(technician_last_name as TEXT), cast(technician_email as TEXT), cast(invoice_number as TEXT), cast(invoice_amount as TEXT), cast(invoice_last_payment_date as TEXT), cast(amount_total as DECIMAL(28,4)), cast(discount as DECIMAL(28,4)), cast(tax as DECIMAL(28,4)), cast(created_at as TIMESTAMP WITH TIME ZONE), cast(created_day as DATE), cast(last_updated_at as TIMESTAMP WITH TIME ZONE), cast(last_updated_day as DATE), cast(due_at as TIMESTAMP WITH TIME ZONE), cast(due_day as DATE), cast(deleted_at as TIMESTAMP WITH TIME ZONE), cast(unreadable as TEXT)) end as content,
            row_number() over (partition by shop_id, id order by dbt_valid_from desc) as place
        from "history"."tickets_versions"
    ),

    newest as (
        select * from placed where place = 1
    )

    select
        coalesce(present.shop_id, newest.shop_id) as shop_id,
        coalesce(present.id, newest.id) as id,
        present.status_id,
        present.issue_type_id,
        present.priority_id,
        present.customer_id,
        present.customer_internal_id,
        present.technician_id,
        present.invoice_id,
        present.ticket_ref,
        present.ticket_no,
        present.short_info,
        present.description,
        present.device,
        present.created_from,
        present.work_approved,
        present.status_label,
        present.issue_type_label,
        present.priority_label,
        present.customer_name,
        present.customer_email,
        present.customer_mobile,
        present.customer_phone,
        present.customer_company,
        present.technician_first_name,
        present.technician_last_name,
        present.technician_email,
        present.invoice_number,
        present.invoice_amount,
        present.invoice_last_payment_date,
        present.amount_total,
        present.discount,
        present.tax,
        present.created_at,
        present.created_day,
        present.last_updated_at,
        present.last_updated_day,
        present.due_at,
        present.due_day,
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
