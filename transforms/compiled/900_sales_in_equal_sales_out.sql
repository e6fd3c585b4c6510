-- path: tests/sales_in_equal_sales_out.sql
-- kind: test

-- Integrity: the documents and returns that exist at the service, and no others, make the sales;
-- row for row and to the last decimal.
with came_in as (
    select count(*) as times, coalesce(sum(amount), 0) as amount
    from (
        select amount_total as amount from "staging"."ticket_invoices" where deleted_at is null
        union all
        select amount_total as amount from "staging"."pos_orders" where deleted_at is null
        union all
        select -amount as amount from "intermediate"."int_returns"
    ) as records
),

went_out as (
    select
        count(*) as times,
        -- A total taken from the lines did not come in as a total; it is left out on both sides.
        coalesce(sum(case when effects.effect = 'return' or documents.amount_source = 'document'
            then effects.gross end), 0) as amount
    from "marts"."sales_documents" as effects
    inner join "marts"."documents" as documents on documents.shop_id = effects.shop_id
        and documents.document_type = effects.document_type
        and documents.document_id = effects.document_id
)

select came_in.times as rows_in, went_out.times as rows_out, came_in.amount as amount_in, went_out.amount as amount_out
from came_in
cross join went_out
where came_in.times <> went_out.times or came_in.amount <> went_out.amount
