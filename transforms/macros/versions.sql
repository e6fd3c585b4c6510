{#-
    A relation with a `fingerprint` of every column but those of `besides`: a snapshot keeps a new
    version when it changes. When a row was read says nothing about the row, so it is left out.
-#}
{% macro versioned(relation, besides) %}
    select
        rows_now.*,
        {% if execute -%}
        {{ fingerprint(adapter.get_columns_in_relation(relation)
            | map(attribute='name') | reject('in', besides) | list) }} as fingerprint
        {%- else -%}
        '' as fingerprint
        {%- endif %}
    from {{ relation }} as rows_now
{% endmacro %}
