-- Integrity: the documents and returns that exist at the service, and no others, make the sales;
-- row for row and to the last decimal.
with {% for list, type in [('ticket_invoices', 'ticket_invoice'), ('pos_orders', 'pos_order')] -%}
{{ list }} as (
    select amount_total
    from {{ ref('stg_' ~ list) }} as records
    where deleted_at is null
        and {{ is_changed('int_changed_figures', 'records', {'shop_id': 'shop_id', 'document_type': "'" ~ type ~ "'", 'document_id': 'id'}) }}
),

{% endfor -%}
returns as (
    select amount from {{ ref('int_returns') }} as returns where {{ is_changed('int_changed_figures', 'returns', document_key()) }}
),

came_in as (
    select
        (select count(*) from ticket_invoices)
        + (select count(*) from pos_orders)
        + (select count(*) from returns) as times,
        coalesce((select sum(amount_total) from ticket_invoices), 0)
        + coalesce((select sum(amount_total) from pos_orders), 0)
        - coalesce((select sum(amount) from returns), 0) as amount
),

went_out as (
    select
        count(*) as times,
        -- A total taken from the lines did not come in as a total; it is left out on both sides.
        coalesce(sum(case when effects.effect = 'return' or documents.amount_source = 'document'
            then effects.gross end), 0) as amount
    from {{ ref('sales_documents') }} as effects
    inner join {{ ref('documents') }} as documents
        on documents.shop_id = effects.shop_id
        and documents.document_type = effects.document_type
        and documents.document_id = effects.document_id
    where {{ is_changed('int_changed_figures', 'effects', document_key()) }}
)

select came_in.times as rows_in, went_out.times as rows_out, came_in.amount as amount_in, went_out.amount as amount_out
from came_in
cross join went_out
where came_in.times <> went_out.times or came_in.amount <> went_out.amount
