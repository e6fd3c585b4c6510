-- path: models/intermediate/int_priced_lines.sql
-- kind: table
-- schema: intermediate
-- table: int_priced_lines

-- Lines of documents that exist and of their returns, signed, each with its day and what its units cost. A
-- table: several models ask for it.

with signed as (
    select
        lines.*,
        returns.position as return_position,
        case when lines.return_row_key is null then documents.created_day else returns.created_day end as day,
        lines.return_row_key is not null as is_returned,
        case when products.id is null then lines.product_code else concat('id:', products.id) end as product_called
    from "intermediate"."int_sales_lines" as lines
    inner join "intermediate"."int_documents" as documents on documents.shop_id = lines.shop_id
        and documents.document_type = lines.document_type
        and documents.document_id = lines.document_id
    left join "staging"."products" as products on products.shop_id = lines.shop_id and products.id = lines.product_id
    left join "intermediate"."int_returns" as returns
        on returns.shop_id = lines.shop_id and returns.row_key = lines.return_row_key
),

priced as (
    select
        signed.*,
        case when untaxed.shop_id is null then signed.total else signed.total + coalesce(signed.tax, 0) end as taxed_total,
        -- What the line itself says of a unit's cost, else the product's cost price of today.
        case
        when abs(signed.quantity) < 1000 and abs(coalesce(signed.cost, products.cost_price)) < 10000000
            then cast(try_cast(signed.quantity as decimal(7, 4)) * try_cast(coalesce(signed.cost, products.cost_price) as decimal(11, 4)) as decimal(28, 4))
        else case
        when abs(signed.quantity) < 1000000000000 and abs(coalesce(signed.cost, products.cost_price)) < 1000000000000
            then cast(signed.quantity * coalesce(signed.cost, products.cost_price) as decimal(28, 4))
    end
    end as units_cost
    from signed
    left join "intermediate"."int_named_products" as products
        on products.shop_id = signed.shop_id
        and products.called = signed.product_called
    left join "intermediate"."int_untaxed_lines" as untaxed on untaxed.shop_id = signed.shop_id
)

select
    shop_id,
    document_type,
    document_id,
    is_returned,
    return_position,
    position,
    day,
    product_called,
    product_code,
    item_description,
    cast(case when is_returned then -(quantity) else quantity end as decimal(28, 4)) as quantity,
    unit_price,
    cast(case when is_returned then -(discount) else discount end as decimal(28, 4)) as discount,
    cast(case when is_returned then -(tax) else tax end as decimal(28, 4)) as tax,
    cast(case when is_returned then -(taxed_total) else taxed_total end as decimal(28, 4)) as total,
    cast(case when is_returned then -(units_cost) else units_cost end as decimal(38, 4)) as cost
from priced
