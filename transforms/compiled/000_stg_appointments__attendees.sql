-- path: models/staging/stg_appointments__attendees.sql
-- kind: view
-- schema: staging
-- table: appointments__attendees

-- Written by `make models` from sources/repair_shop/schema/lists.
with source as (
    select * from "raw"."appointments__attendees"
),

renamed as (
    select
        -- ids
        source.shop_id,
        source._dlt_id as row_key,
        source.parent_id as appointment_id,
        source._dlt_list_idx as position,
        source.id,
        -- texts
        nullif(source.first_name, '') as first_name,
        nullif(source.last_name, '') as last_name,
        nullif(source.email, '') as email,
        -- state of the row
        source._unreadable as unreadable
    from source
)

select * from renamed
