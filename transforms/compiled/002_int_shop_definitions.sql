-- path: models/intermediate/int_shop_definitions.sql
-- kind: view
-- schema: intermediate
-- table: int_shop_definitions

-- What counts as a sale and as a purchase in each shop: the stored choice, else the default
-- (documents by their created date, less returns by theirs, tax included; received orders).
select
    known.shop_id,
    'chosen' as definition,
    coalesce(json_extract_string(shops.sales_definition, '$.date_basis'), 'document') as sales_date_basis,
    coalesce(json_extract_string(shops.sales_definition, '$.amount_basis'), 'gross') as sales_amount_basis,
    coalesce(json_extract_string(shops.sales_definition, '$.returns'), 'return_day') as sales_returns,
    coalesce(json_extract_string(shops.sales_definition, '$.documents'), 'all') as sales_documents,
    coalesce(json_extract_string(shops.purchases_definition, '$.date_basis'), 'received') as purchases_date_basis,
    coalesce(json_extract_string(shops.purchases_definition, '$.amount_basis'), 'gross') as purchases_amount_basis,
    coalesce(json_extract_string(shops.purchases_definition, '$.shipping'), 'with') = 'with' as purchases_with_shipping,
    coalesce(json_extract_string(shops.purchases_definition, '$.expenses'), 'without') = 'with' as purchases_with_expenses,
    coalesce(json_extract_string(shops.purchases_definition, '$.documents'), 'all') as purchases_documents
from "intermediate"."int_shops" as known
left join "ops"."shops" as shops on shops.shop_id = known.shop_id
