-- Integrity: every payment the service lists is in the mart once, with its amount; every payment
-- embedded in a document that exists is there too; and nothing else is.
with listed as (
    select shop_id, id, amount from {{ ref('stg_payments') }} where deleted_at is null
),

embedded as (
    {% for list, holder in [('ticket_invoices', 'invoice_id'), ('pos_orders', 'order_id')] %}
    select payments.shop_id, coalesce(payments.id, payments.payment_id) as id
    from {{ ref('stg_' ~ list ~ '__payments') }} as payments
    inner join {{ ref('stg_' ~ list) }} as documents
        on documents.shop_id = payments.shop_id and documents.id = payments.{{ holder }}
    where documents.deleted_at is null
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

kept as (
    select shop_id, id, amount from {{ ref('payments') }}
)

select listed.shop_id, listed.id, 'listed but not kept, or with another amount' as finding
from listed
left join kept on kept.shop_id = listed.shop_id and kept.id = listed.id
where kept.id is null or (listed.amount is not null and kept.amount <> listed.amount)
union all
select distinct embedded.shop_id, embedded.id, 'embedded but not kept' as finding
from embedded
left join kept on kept.shop_id = embedded.shop_id and kept.id = embedded.id
left join {{ ref('stg_payments') }} as gone
    on gone.shop_id = embedded.shop_id and gone.id = embedded.id and gone.deleted_at is not null
where embedded.id is not null and kept.id is null and gone.id is null
