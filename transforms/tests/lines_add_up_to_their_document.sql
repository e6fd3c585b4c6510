-- A document's lines are its total. A shop may round otherwise: a finding, not a fault.
{{ config(severity='warn') }}
select * from {{ ref('int_unbalanced_documents') }}
