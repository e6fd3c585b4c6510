-- path: models/history/hist_tax_rates.sql
-- kind: view
-- schema: history
-- table: tax_rates

select *
    from (
        select
            versions.*,
            
    md5(concat_ws('|', coalesce(cast(shop_id as TEXT), '~'), coalesce(cast(id as TEXT), '~'), coalesce(cast(dbt_valid_from as TEXT), '~')))
 as dbt_scd_id,
            dbt_valid_from as dbt_updated_at,
            lead(dbt_valid_from) over (partition by shop_id, id order by dbt_valid_from) as dbt_valid_to
        from "history"."tax_rates_versions" as versions
    ) as intervals
    where seen_at is not null
