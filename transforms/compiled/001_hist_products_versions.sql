-- path: models/history/hist_products_versions.sql
-- kind: incremental
-- schema: history
-- table: products_versions

select rows_now.*, cast($build_moment as timestamp) as dbt_valid_from from "staging"."products" as rows_now

-- later:
with present as (
        select rows_now.*, hash(shop_id, id, brand_id, model_id, category_id, supplier_id, type, name, code, physical_location, supplier_code, condition, status, description, imei, supplier_item_code, brand_name, model_name, category_name, supplier_company, photo_url, stock, alert_quantity, reorder_quantity, retail_price, retail_price_inc_vat, cost_price, cost_price_inc_vat, vat, has_inventory_control, has_serialised_stock, is_discountable, is_one_time_use, created_at, created_day, last_updated_at, last_updated_day, deleted_at, unreadable) as content from "staging"."products" as rows_now
    ),

    placed as (
        select
            shop_id, id, dbt_valid_from,
            case when seen_at is not null then hash(cast(shop_id as TEXT), cast(id as TEXT), cast(brand_id as TEXT), cast(model_id as TEXT), cast(category_id as TEXT), cast(supplier_id as TEXT), cast(type as TEXT), cast(name as TEXT), cast(code as TEXT), cast(physical_location as TEXT), cast(supplier_code as TEXT), cast(condition as TEXT), cast(status as TEXT), cast(description as TEXT), cast(imei as TEXT), cast(supplier_item_code as TEXT), cast(brand_name as TEXT), cast(model_name as TEXT), cast(category_name as TEXT), cast(supplier_company as TEXT), cast(photo_url as TEXT), cast(stock as DECIMAL(28,4)), cast(alert_quantity as DECIMAL(28,4)), cast(reorder_quantity as DECIMAL(28,4)), cast(retail_price as DECIMAL(28,4)), cast(retail_price_inc_vat as DECIMAL(28,4)), cast(cost_price as DECIMAL(28,4)), cast(cost_price_inc_vat as DECIMAL(28,4)), cast(vat as DECIMAL(28,4)), cast(has_inventory_control as BOOLEAN), cast(has_serialised_stock as BOOLEAN), cast(is_discountable as BOOLEAN), cast(is_one_time_use as BOOLEAN), cast(created_at as TIMESTAMP WITH TIME ZONE), cast(created_day as DATE), cast(last_updated_at as TIMESTAMP WITH TIME ZONE), cast(last_updated_day as DATE), cast(deleted_at as TIMESTAMP WITH TIME ZONE), cast(unreadable as TEXT)) end as content,
            row_number() over (partition by shop_id, id order by dbt_valid_from desc) as place
        from "history"."products_versions"
    ),

    newest as (
        select * from placed where place = 1
    )

    select
        coalesce(present.shop_id, newest.shop_id) as shop_id,
        coalesce(present.id, newest.id) as id,
        present.brand_id,
        present.model_id,
        present.category_id,
        present.supplier_id,
        present.type,
        present.name,
        present.code,
        present.physical_location,
        present.supplier_code,
        present.condition,
        present.status,
        present.description,
        present.imei,
        present.supplier_item_code,
        present.brand_name,
        present.model_name,
        present.category_name,
        present.supplier_company,
        present.photo_url,
        present.stock,
        present.alert_quantity,
        present.reorder_quantity,
        present.retail_price,
        present.retail_price_inc_vat,
        present.cost_price,
        present.cost_price_inc_vat,
        present.vat,
        present.has_inventory_control,
        present.has_serialised_stock,
        present.is_discountable,
        present.is_one_time_use,
        present.created_at,
        present.created_day,
        present.last_updated_at,
        present.last_updated_day,
        present.seen_at,
        present.deleted_at,
        present.unreadable,
        -- A clock that was set back would put the new version before the one it follows.
        case
            when newest.dbt_valid_from >= cast($build_moment as timestamp) then newest.dbt_valid_from + interval '1 microsecond'
            else cast($build_moment as timestamp)
        end as dbt_valid_from
    from present
    left join newest
        on newest.shop_id = present.shop_id and newest.id = present.id
    where present.content is distinct from newest.content
