-- path: models/marts/sales_documents.sql
-- kind: view
-- schema: marts
-- table: sales_documents
-- tests: grain_sales_documents_shop_id__effect_key

-- A view: what it says of a document stands in `documents`.

with effects as (
    select
        documents.*,
        case
        when null is null then concat(document_type, ':', document_id)
        else concat(document_type, ':', document_id, ':return:', null)
    end as effect_key,
        document_type as effect,
        cast(null as TEXT) as return_id,
        cast(null as TEXT) as reason,
        created_at as effect_at,
        created_day as effect_day,
        gross as effect_gross,
        -- Where the amount is unknown, its tax tells nothing.
        case when gross is not null then tax end as effect_tax,
        cost as effect_cost,
        uncosted as effect_uncosted,
        uncosted_net as effect_uncosted_net
    from "marts"."documents" as documents
    union all
    select * from "intermediate"."int_return_effects"
)

select
    shop_id,
    effect_key,
    effect,
    document_type,
    document_id,
    document_number,
    return_id,
    reason,
    ticket_id,
    customer_id,
    customer_name,
    status,
    is_paid,
    effect_at,
    effect_day,
    created_day as document_day,
    ticket_day,
    coalesce(due_day, created_day) as due_day,
    last_payment_day,
    case when is_paid then coalesce(last_payment_day, created_day) end as settled_day,
    effect_gross as gross,
    cast(effect_tax as decimal(28, 4)) as tax,
    cast(effect_gross - coalesce(effect_tax, 0) as decimal(28, 4)) as net,
    effect_tax is not null as is_tax_known,
    cast(effect_cost as decimal(28, 4)) as cost,
    cast(effect_uncosted as decimal(28, 4)) as uncosted,
    cast(case when effect_cost is not null then effect_gross - coalesce(effect_tax, 0) - effect_uncosted_net - effect_cost
        else 0 end as decimal(28, 4)) as margin,
    cast(1 as decimal(28, 4)) as documents,
    last_updated_at,
    seen_at
from effects
