-- path: models/staging/stg_ticket_invoices__lines.sql
-- kind: view
-- schema: staging
-- table: ticket_invoices__lines

-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from "raw"."ticket_invoices__lines"
),

renamed as (
    select
        -- ids
        source.shop_id,
        source._dlt_id as row_key,
        source.parent_id as invoice_id,
        source._dlt_list_idx as position,
        source.id,
        source.product__id as product_id,
        -- texts
        nullif(source.product_code, '') as product_code,
        nullif(source.item_description, '') as item_description,
        -- numbers
        cast(source.quantity as decimal(28, 4)) as quantity,
        cast(source.unit_price as decimal(28, 4)) as unit_price,
        cast(source.discount as decimal(28, 4)) as discount,
        cast(source.tax as decimal(28, 4)) as tax,
        cast(source.total as decimal(28, 4)) as total,
        cast(source.cost as decimal(28, 4)) as cost,
        -- state of the row
        source._unreadable as unreadable
    from source
)

select * from renamed
