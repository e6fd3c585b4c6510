-- Each query: day, amount (part of ours less theirs, null if unknown), document type, id, number,
-- and what was seen. Parameters: $shop, $first, $last (days of the shop).

-- name: sales deleted
select
    created_day, -coalesce(amount_total, 0), kind, id, number,
    concat('deleted between the reads up to ', cast(deleted_at as varchar))
from (
    select shop_id, id, number, amount_total, created_day, deleted_at, 'ticket_invoice' as kind
    from staging.ticket_invoices
    union all
    select shop_id, id, number, amount_total, created_day, deleted_at, 'pos_order' as kind
    from staging.pos_orders
) as documents
where shop_id = $shop and deleted_at is not null and created_day between $first and $last

-- name: sales missing
-- Payments and tickets that name an invoice which is not here.
select
    tickets.created_day, cast(null as decimal(28, 4)), 'ticket_invoice', tickets.invoice_id,
    tickets.invoice_number, concat('ticket ', tickets.id, ' names it')
from staging.tickets as tickets
left join staging.ticket_invoices as invoices
    on invoices.shop_id = tickets.shop_id and invoices.id = tickets.invoice_id
where tickets.shop_id = $shop and tickets.deleted_at is null and tickets.invoice_id is not null
    and invoices.id is null
    and tickets.created_day between $first - 62 and $last
union all
select
    payments.day, -payments.amount, payments.document_type, payments.document_id,
    cast(null as varchar), concat('payment ', payments.id, ' belongs to no document here')
from marts.payments as payments
where payments.shop_id = $shop and payments.day between $first and $last
    and payments.document_number is null and payments.document_day is null
    and payments.ticket_id is null

-- name: sales edited
-- What an earlier night believed of documents that counted, or count, in these days.
select
    coalesce(case when now.effect_day between $first and $last then now.effect_day end, earlier.effect_day),
    cast(
        coalesce(case when now.effect_day between $first and $last then now.gross end, 0)
        - case when earlier.effect_day between $first and $last then earlier.gross else 0 end
        as decimal(28, 4)
    ),
    earlier.document_type, earlier.document_id, earlier.document_number,
    concat(
        earlier.effect, ' was ', cast(earlier.gross as varchar), ' on ', cast(earlier.effect_day as varchar),
        ' until ', cast(earlier.dbt_valid_to as varchar), ' UTC; now ',
        coalesce(concat(cast(now.gross as varchar), ' on ', cast(now.effect_day as varchar)), 'gone')
    )
from history.sales_documents as earlier
left join marts.sales_documents as now
    on now.shop_id = earlier.shop_id and now.effect_key = earlier.effect_key
where earlier.shop_id = $shop and earlier.dbt_valid_to is not null
    and (earlier.effect_day between $first and $last or now.effect_day between $first and $last)
    and (
        now.effect_key is null
        or now.gross is distinct from earlier.gross
        or now.effect_day is distinct from earlier.effect_day
    )
    -- What is gone is named as that.
    and not exists (
        select 1
        from (
            select shop_id, id, deleted_at, 'ticket_invoice' as kind from staging.ticket_invoices
            union all
            select shop_id, id, deleted_at, 'pos_order' as kind from staging.pos_orders
        ) as gone
        where gone.shop_id = earlier.shop_id and gone.kind = earlier.document_type
            and gone.id = earlier.document_id and gone.deleted_at is not null
    )

-- name: sales midnight
-- Another clock (the server's UTC is the usual one) moves these over the edge of the days.
select
    documents.effect_day,
    case when documents.effect_day between $first and $last then documents.gross else -documents.gross end,
    documents.document_type, documents.document_id, documents.document_number,
    concat(documents.effect, ' at ', cast(documents.effect_at at time zone shops.timezone as varchar), ', ',
        cast(documents.effect_at at time zone 'UTC' as varchar), ' UTC')
from marts.sales_documents as documents
inner join intermediate.int_shops as shops on shops.shop_id = documents.shop_id
where documents.shop_id = $shop
    and (documents.effect_day between $first and $last)
        <> (cast(documents.effect_at at time zone 'UTC' as date) between $first and $last)
    and documents.effect_at at time zone shops.timezone <> cast(documents.effect_day as timestamp)

-- name: sales unreadable
select
    effect_day, cast(null as decimal(28, 4)), document_type, document_id, document_number,
    concat('the total of this ', effect, ' is not known from the service')
from marts.sales_documents
where shop_id = $shop and effect_day between $first and $last
    and (gross is null or (effect <> 'return' and exists (
        select 1 from marts.documents as documents
        where documents.shop_id = sales_documents.shop_id
            and documents.document_type = sales_documents.document_type
            and documents.document_id = sales_documents.document_id
            and documents.amount_source <> 'document'
    )))

-- name: sales void
select effect_day, gross, document_type, document_id, document_number, concat('status ', status)
from marts.sales_documents
where shop_id = $shop and effect_day between $first and $last and lower(status) not in ('paid', 'due')

-- name: sales still_due
select
    effect_day, gross, document_type, document_id, document_number,
    concat('status ', coalesce(status, 'unknown'))
from marts.sales_documents
where shop_id = $shop and effect_day between $first and $last and not is_paid
    and coalesce(lower(status), 'due') = 'due'

-- name: purchases deleted
select
    received_day, -(coalesce(cost, 0) + coalesce(shipping_cost, 0)), 'purchase_order', id, number,
    concat('deleted between the reads up to ', cast(deleted_at as varchar))
from staging.purchase_orders
where shop_id = $shop and deleted_at is not null and received_day between $first and $last

-- name: purchases midnight
select
    orders.received_day,
    case when orders.received_day between $first and $last then 1 else -1 end
        * (coalesce(orders.cost, 0) + coalesce(orders.shipping_cost, 0)),
    'purchase_order', orders.id, orders.number,
    concat('received at ', cast(orders.received_at at time zone 'UTC' as varchar), ' UTC')
from staging.purchase_orders as orders
inner join intermediate.int_shops as shops on shops.shop_id = orders.shop_id
where orders.shop_id = $shop and orders.deleted_at is null
    and (orders.received_day between $first and $last)
        <> (cast(orders.received_at at time zone 'UTC' as date) between $first and $last)
    and orders.received_at at time zone shops.timezone <> cast(orders.received_day as timestamp)

-- name: purchases unreadable
select received_day, cast(null as decimal(28, 4)), effect, document_id, document_number,
    'its cost is not known from the service'
from marts.purchase_documents
where shop_id = $shop and received_day between $first and $last and not is_amount_known

-- name: purchases still_due
select
    created_day, cast(null as decimal(28, 4)), 'purchase_order', document_id, document_number,
    concat('status ', coalesce(status, 'unknown'), ', no received date')
from marts.purchase_documents
where shop_id = $shop and effect = 'purchase_order' and received_day is null
    and created_day between $first and $last
