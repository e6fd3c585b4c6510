-- What was paid of each document: a payment whose parts stand in several is divided as they say, if they add up to it.
{{ config(materialized='view') }}
select
    payments.shop_id,
    payments.document_type,
    coalesce(parts.invoice_id, payments.document_id) as document_id,
    payments.day,
    coalesce(parts.document_day, payments.document_day) as document_day,
    case when parts.whole = payments.amount then parts.amount else coalesce(parts.share, payments.amount) end as amount
from {{ ref('payments') }} as payments
left join {{ ref('int_payment_parts') }} as parts
    on parts.shop_id = payments.shop_id
    and parts.id = payments.id
    and payments.amount in (parts.whole, parts.whole_in_each)
    and payments.document_type = 'ticket_invoice'
where payments.document_id is not null
