-- Lines of documents that exist and of their returns, signed, each with its day and what its units cost. A
-- table: several models ask for it.
{{ config(materialized='table') }}
with signed as (
    select
        lines.*,
        returns.position as return_position,
        case when lines.return_row_key is null then documents.created_day else returns.created_day end as day,
        lines.return_row_key is not null as is_returned,
        {{ product_called('lines') }} as product_called
    from {{ ref('int_sales_lines') }} as lines
    inner join {{ ref('int_documents') }} as documents on {{ same_document('documents', 'lines') }}
    {{ named_in('products', 'lines', 'product_id') }}
    left join {{ ref('int_returns') }} as returns
        on returns.shop_id = lines.shop_id and returns.row_key = lines.return_row_key
),

priced as (
    select
        signed.*,
        case when untaxed.shop_id is null then signed.total else signed.total + coalesce(signed.tax, 0) end as taxed_total,
        -- What the line itself says of a unit's cost, else the product's cost price of today.
        {{ product_of('signed.quantity', 'coalesce(signed.cost, products.cost_price)') }} as units_cost
    from signed
    left join {{ ref('int_named_products') }} as products
        on products.shop_id = signed.shop_id
        and products.called = signed.product_called
    left join {{ ref('int_untaxed_lines') }} as untaxed on untaxed.shop_id = signed.shop_id
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
    cast({{ as_sold('quantity') }} as {{ money() }}) as quantity,
    unit_price,
    cast({{ as_sold('discount') }} as {{ money() }}) as discount,
    cast({{ as_sold('tax') }} as {{ money() }}) as tax,
    cast({{ as_sold('taxed_total') }} as {{ money() }}) as total,
    cast({{ as_sold('units_cost') }} as decimal(38, 4)) as cost
from priced
