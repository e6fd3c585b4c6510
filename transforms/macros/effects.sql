{#- The key of an effect: its document, and for a return its place among the document's returns. -#}
{% macro effect_key(document_type, document_id, return_position) -%}
case
        when {{ return_position }} is null then concat({{ document_type }}, ':', {{ document_id }})
        else concat({{ document_type }}, ':', {{ document_id }}, ':return:', {{ return_position }})
    end
{%- endmacro %}

{#- Whether rows of two relations are of one document. -#}
{% macro same_document(ours, theirs) -%}
{{ ours }}.shop_id = {{ theirs }}.shop_id
        and {{ ours }}.document_type = {{ theirs }}.document_type
        and {{ ours }}.document_id = {{ theirs }}.document_id
{%- endmacro %}

{#- An amount of a line with its sign. Not a factor of 1 or -1: DuckDB multiplies decimals at ten times
    the cost. -#}
{% macro as_sold(amount) -%}
case when is_returned then -({{ amount }}) else {{ amount }} end
{%- endmacro %}

{#- What a line comes to, where the service says no total. -#}
{% macro line_total(lines) -%}
coalesce({{ lines }}.total, {{ product_of(lines ~ '.quantity', lines ~ '.unit_price') }} - coalesce({{ lines }}.discount, 0))
{%- endmacro %}

{#- What counts of a sale by the amount basis: some services round each document before they add them up. -#}
{% macro amounts_by_basis() %}
{{ return({
    'gross': 'gross',
    'net': 'coalesce(net, gross)',
    'gross_rounded': 'cast(round(gross, 2) as ' ~ money() ~ ')',
    'net_rounded': 'cast(round(coalesce(net, gross), 2) as ' ~ money() ~ ')',
}) }}
{% endmacro %}

{#-
    The amounts that count as sales, and the day on which each counts, under definitions: a
    relation with shop_id, definition, date_basis, amount_basis, returns_rule, documents_rule.
    `documents` has the columns of marts.sales_documents, `payments` those of marts.payments, at
    whatever grain (single, or summed for the comparison of all definitions). `named` lists further
    columns of both: what each is among documents, and among payments.
-#}
{% macro sales_effects(definitions, documents, payments, named={}) %}
    select
        definitions.shop_id,
        definitions.definition,
        definitions.amount_basis,
        documents.effect,
        documents.document_type,
        case
            when documents.effect = 'return' and definitions.returns_rule = 'return_day'
                then documents.effect_day
            when definitions.date_basis = 'ticket' then documents.ticket_day
            when definitions.date_basis = 'due' then documents.due_day
            when definitions.date_basis = 'settled' then documents.settled_day
            else documents.document_day
        end as day,
        documents.gross,
        documents.tax,
        documents.net,
        documents.documents
        {%- for name, sources in named.items() %},
        {{ sources[0] }} as {{ name }}
        {%- endfor %}
    from {{ documents }} as documents
    inner join {{ definitions }} as definitions on definitions.shop_id = documents.shop_id
    where definitions.date_basis <> 'payment'
        -- What is said to be neither paid nor due is void, or whatever a shop calls it.
        and definitions.documents_rule in (
            'all',
            documents.document_type,
            case when documents.is_paid then 'paid' end,
            case when coalesce(lower(documents.status), 'due') in ('paid', 'due') then 'paid_or_due' end
        )
        and not (documents.effect = 'return' and definitions.returns_rule = 'ignored')

    union all

    select
        definitions.shop_id,
        definitions.definition,
        definitions.amount_basis,
        case when payments.kind = 'refund' then 'return' else payments.document_type end as effect,
        payments.document_type,
        payments.day,
        payments.amount as gross,
        cast(null as {{ money() }}) as tax,
        cast(null as {{ money() }}) as net,
        payments.payments as documents
        {%- for name, sources in named.items() %},
        {{ sources[1] }} as {{ name }}
        {%- endfor %}
    from {{ payments }} as payments
    inner join {{ definitions }} as definitions on definitions.shop_id = payments.shop_id
    where definitions.date_basis = 'payment'
        and not (payments.kind = 'refund' and definitions.returns_rule = 'ignored')
{% endmacro %}

{#- The part of purchases that counts, likewise; definitions: shop_id, definition, date_basis,
    amount_basis, with_shipping, with_expenses, documents_rule. -#}
{% macro purchase_effects(definitions, documents) %}
    select
        definitions.shop_id,
        definitions.definition,
        documents.effect,
        case
            when documents.effect = 'expense' or definitions.date_basis = 'created'
                then documents.created_day
            else documents.received_day
        end as day,
        cast(
            documents.cost
            - case when definitions.amount_basis = 'net' then coalesce(documents.tax, 0) else 0 end
            + case when definitions.with_shipping then documents.shipping_cost else 0 end
            as {{ money() }}
        ) as total,
        documents.tax,
        documents.cost,
        documents.shipping_cost,
        documents.documents
    from {{ documents }} as documents
    inner join {{ definitions }} as definitions on definitions.shop_id = documents.shop_id
    where (documents.effect = 'purchase_order' or definitions.with_expenses)
        and (
            definitions.documents_rule = 'all'
            or documents.effect = 'expense'
            or documents.received_day is not null
        )
{% endmacro %}

{#- What a payment is to the day on which its business began: its document's, or its ticket's. -#}
{% macro payment_kind(day) -%}
case
        when amount < 0 or service_kind = 'return' then 'refund'
        when is_advance or day < {{ day }} then 'advance'
        when document_id is null and ticket_id is not null then 'advance'
        when day > {{ day }} then 'receivable'
        else 'sale'
    end
{%- endmacro %}
