{#- The list that names a record which others may call by its id alone. -#}
{% macro named_in(list, records, key) -%}
left join {{ ref('stg_' ~ list) }} as {{ list }} on {{ list }}.shop_id = {{ records }}.shop_id and {{ list }}.id = {{ records }}.{{ key }}
{%- endmacro %}

{#- The ticket that records of a list mean, as `named`. -#}
{% macro ticket_named_in(list, records) -%}
left join {{ ref('int_named_tickets') }} as named
    on named.record_type = '{{ list }}' and named.shop_id = {{ records }}.shop_id and named.record_id = {{ records }}.id
{%- endmacro %}

{#- What a line calls its product: by its id where `products` knows it, else by its code. -#}
{% macro product_called(lines) -%}
case when products.id is null then {{ lines }}.product_code else concat('id:', products.id) end
{%- endmacro %}

{#- A person's first and last name; null where there is neither. -#}
{% macro full_name(prefix) -%}
nullif(trim(concat(coalesce({{ prefix }}first_name, ''), ' ', coalesce({{ prefix }}last_name, ''))), '')
{%- endmacro %}

{% macro generate_schema_name(custom_schema_name, node) %}
    {#- The layer's own name, without the target's prefix: readers rely on `marts`, `staging`.
        Where a build is published afterwards, it lies apart until then. -#}
    {{ (custom_schema_name or target.schema) | trim }}{{ var('schema_suffix', '') }}
{% endmacro %}

{% macro generate_alias_name(custom_alias_name=none, node=none) %}
    {#- `stg_tickets` is `staging.tickets`, `hist_tickets` is `history.tickets`: names must be
        unique in the project, but a reader already says the layer with the schema. -#}
    {%- if custom_alias_name -%}
        {{ custom_alias_name | trim }}
    {%- elif node.name.startswith('stg_') -%}
        {{ node.name[4:] }}
    {%- elif node.name.startswith('hist_') -%}
        {{ node.name[5:] }}
    {%- else -%}
        {{ node.name }}
    {%- endif -%}
{% endmacro %}
