-- The same as a table, to be compared with at the next build.
-- depends_on: {{ ref('int_changed_days') }}
{{ config(materialized='table') }}
select * from {{ ref('int_tax_rates') }}
