-- What counts as a sale and as a purchase in each shop: the stored choice, else the default
-- (documents by their created date, less returns by theirs, tax included; received orders).
with shops as (
    select shop_id, sales_definition, purchases_definition from {{ source('ops', 'shops') }}
),

-- A shop that is no longer configured still has its rows, and they still need a definition.
known as (
    select shop_id from shops
    union
    select distinct shop_id from {{ ref('stg_ticket_invoices') }}
    union
    select distinct shop_id from {{ ref('stg_pos_orders') }}
    union
    select distinct shop_id from {{ ref('stg_purchase_orders') }}
    union
    select distinct shop_id from {{ ref('stg_expenses') }}
    union
    select distinct shop_id from {{ ref('stg_payments') }}
)

select
    known.shop_id,
    'chosen' as definition,
    coalesce({{ json_text('shops.sales_definition', 'date_basis') }}, 'document') as sales_date_basis,
    coalesce({{ json_text('shops.sales_definition', 'amount_basis') }}, 'gross') as sales_amount_basis,
    coalesce({{ json_text('shops.sales_definition', 'returns') }}, 'return_day') as sales_returns,
    coalesce({{ json_text('shops.sales_definition', 'documents') }}, 'all') as sales_documents,
    coalesce({{ json_text('shops.purchases_definition', 'date_basis') }}, 'received') as purchases_date_basis,
    coalesce({{ json_text('shops.purchases_definition', 'amount_basis') }}, 'gross') as purchases_amount_basis,
    coalesce({{ json_text('shops.purchases_definition', 'shipping') }}, 'with') = 'with' as purchases_with_shipping,
    coalesce({{ json_text('shops.purchases_definition', 'expenses') }}, 'without') = 'with' as purchases_with_expenses,
    coalesce({{ json_text('shops.purchases_definition', 'documents') }}, 'all') as purchases_documents
from known
left join shops on shops.shop_id = known.shop_id
