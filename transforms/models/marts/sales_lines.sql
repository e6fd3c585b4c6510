{{ config(meta=replaced_by('int_changed_documents', document_key())) }}
with documents as (
    select * from {{ ref('int_documents') }} as documents where {{ is_changed('int_changed_documents', 'documents', document_key()) }}
),

returns as (
    select * from {{ ref('int_returns') }} as returns where {{ is_changed('int_changed_documents', 'returns', document_key()) }}
),

signed as (
    select
        lines.*,
        returns.position as return_position,
        case when lines.return_row_key is null then documents.created_day else returns.created_day end as day,
        lines.return_row_key is not null as is_returned
    from {{ ref('int_sales_lines') }} as lines
    inner join documents
        on documents.shop_id = lines.shop_id
        and documents.document_type = lines.document_type
        and documents.document_id = lines.document_id
    left join returns
        on returns.shop_id = lines.shop_id and returns.row_key = lines.return_row_key
    where {{ is_changed('int_changed_documents', 'lines', document_key()) }}
),

priced as (
    select
        signed.*,
        products.id as product_id,
        products.name as product,
        products.category_name as category,
        case when lower(products.type) in ('service', 'services') then 'service'
            when products.id is not null then 'product' end as product_type,
        -- What the line itself says of a unit's cost, else the product's cost price of today.
        {{ product_of('signed.quantity', 'coalesce(signed.cost, products.cost_price)') }} as units_cost
    from signed
    left join {{ ref('int_line_products') }} as products
        on products.shop_id = signed.shop_id
        and products.code = signed.product_code
)

select
    shop_id,
    {{ effect_key('document_type', 'document_id', 'return_position') }} as effect_key,
    case when is_returned then 'return' else document_type end as effect,
    document_type,
    document_id,
    position,
    day,
    product_code,
    product_id,
    product,
    category,
    product_type,
    item_description,
    cast({{ as_sold('quantity') }} as {{ money() }}) as quantity,
    unit_price,
    cast({{ as_sold('discount') }} as {{ money() }}) as discount,
    cast({{ as_sold('tax') }} as {{ money() }}) as tax,
    cast({{ as_sold('total') }} as {{ money() }}) as total,
    cast({{ as_sold('total - coalesce(tax, 0)') }} as {{ money() }}) as net,
    cast({{ as_sold('units_cost') }} as decimal(38, 4)) as cost,
    cast({{ as_sold('total - coalesce(tax, 0) - units_cost') }} as {{ money() }}) as margin
from priced
