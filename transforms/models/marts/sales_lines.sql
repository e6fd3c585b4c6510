with products as (
    select
        shop_id, id, code, name, type, category_name, cost_price,
        row_number() over (
            partition by shop_id, code
            order by case when deleted_at is null then 0 else 1 end, id
        ) as place
    from {{ ref('stg_products') }}
    where code is not null
),

documents as (
    select * from {{ ref('int_documents') }}
),

returns as (
    select * from {{ ref('int_returns') }}
),

signed as (
    select
        lines.*,
        returns.position as return_position,
        case when lines.return_row_key is null then documents.created_day else returns.created_day end as day,
        case when lines.return_row_key is null then 1 else -1 end as sign
    from {{ ref('int_sales_lines') }} as lines
    inner join documents
        on documents.shop_id = lines.shop_id
        and documents.document_type = lines.document_type
        and documents.document_id = lines.document_id
    left join returns
        on returns.shop_id = lines.shop_id and returns.row_key = lines.return_row_key
)

select
    signed.shop_id,
    {{ effect_key('signed.document_type', 'signed.document_id', 'signed.return_position') }} as effect_key,
    case when signed.sign = -1 then 'return' else signed.document_type end as effect,
    signed.document_type,
    signed.document_id,
    signed.position,
    signed.day,
    signed.product_code,
    products.id as product_id,
    products.name as product,
    products.category_name as category,
    case when lower(products.type) in ('service', 'services') then 'service'
        when products.id is not null then 'product' end as product_type,
    signed.item_description,
    cast(signed.sign * signed.quantity as {{ money() }}) as quantity,
    signed.unit_price,
    cast(signed.sign * signed.discount as {{ money() }}) as discount,
    cast(signed.sign * signed.tax as {{ money() }}) as tax,
    cast(signed.sign * signed.total as {{ money() }}) as total,
    cast(signed.sign * (signed.total - coalesce(signed.tax, 0)) as {{ money() }}) as net,
    -- What the line itself says of a unit's cost, else the product's cost price of today.
    signed.sign * {{ product_of('signed.quantity', 'coalesce(signed.cost, products.cost_price)') }} as cost,
    cast(signed.sign * (signed.total - coalesce(signed.tax, 0)
        - {{ product_of('signed.quantity', 'coalesce(signed.cost, products.cost_price)') }}) as {{ money() }})
        as margin
from signed
left join products
    on products.shop_id = signed.shop_id
    and products.code = signed.product_code
    and products.place = 1
