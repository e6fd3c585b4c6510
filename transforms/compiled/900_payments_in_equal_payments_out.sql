-- path: tests/payments_in_equal_payments_out.sql
-- kind: test

-- Integrity: every payment the service lists is in the mart once, with its amount; every payment
-- embedded in a document that exists is there too; and nothing else is.
with listed as (
    select shop_id, id, amount from "staging"."payments" where deleted_at is null
),

embedded as (
    
    select payments.shop_id, coalesce(payments.id, payments.payment_id) as id
    from "staging"."ticket_invoices__payments" as payments
    inner join "staging"."ticket_invoices" as documents
        on documents.shop_id = payments.shop_id and documents.id = payments.invoice_id
    where documents.deleted_at is null
    union all
    
    select payments.shop_id, coalesce(payments.id, payments.payment_id) as id
    from "staging"."pos_orders__payments" as payments
    inner join "staging"."pos_orders" as documents
        on documents.shop_id = payments.shop_id and documents.id = payments.order_id
    where documents.deleted_at is null
    
    
),

kept as (
    select shop_id, id, amount from "marts"."payments"
)

select listed.shop_id, listed.id, 'listed but not kept, or with another amount' as finding
from listed
left join kept on kept.shop_id = listed.shop_id and kept.id = listed.id
where kept.id is null or (listed.amount is not null and kept.amount <> listed.amount)
union all
select distinct embedded.shop_id, embedded.id, 'embedded but not kept' as finding
from embedded
left join kept on kept.shop_id = embedded.shop_id and kept.id = embedded.id
left join "staging"."payments" as gone
    on gone.shop_id = embedded.shop_id and gone.id = embedded.id and gone.deleted_at is not null
where embedded.id is not null and kept.id is null and gone.id is null
