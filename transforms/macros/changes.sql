{#-
    Builds whose cost grows with the change, on DuckDB. pipelines.transform.incremental decides when a
    build is one and replaces the rows; dbt itself always builds whole, and makes the statements of such a
    build with the variable `changed_only`. What changed is worked out in models/intermediate/changed;
    a model that is kept names one of those relations in its `meta`, and restricts what it reads by it.
-#}
{% macro changed_only() %}{{ return(var('changed_only', false)) }}{% endmacro %}

{#- Where the rows of a model are replaced: those with a key in `changed`; `key`: its column -> ours. -#}
{% macro replaced_by(changed, key) %}{{ return({'changed': changed, 'key': key}) }}{% endmacro %}

{% macro document_key() %}{{ return({'shop_id': 'shop_id', 'document_type': 'document_type', 'document_id': 'document_id'}) }}{% endmacro %}

{#- Whether a row's key is in a relation of what changed; always, in a whole build. -#}
{% macro is_changed(changed, rows, key) -%}
{#- Named in a whole build too: the order of a build is that of what models name. -#}
{%- set relation = ref(changed) -%}
{%- if not changed_only() -%} true
{%- else -%}
{#- Not `exists`: DuckDB first groups all rows by their keys for that. -#}
{%- set names, ours, whose = [], [], [] -%}
{%- for theirs, our in key.items() -%}
{%- if our.startswith("'") -%}{%- do whose.append(theirs ~ ' = ' ~ our) -%}
{%- else -%}{%- do names.append(theirs) -%}{%- do ours.append(rows ~ '.' ~ our) -%}{%- endif -%}
{%- endfor -%}
({{ ours | join(', ') }}) in (
        select {{ names | join(', ') }} from {{ relation }}{{ ' where ' ~ whose | join(' and ') if whose }}
    )
{%- endif -%}
{%- endmacro %}

{#- Whether a raw row came, or came again, with a load that the last build did not have. What is deleted
    comes again, and so does the record of a nested list that changed. -#}
{% macro is_news(rows) -%}
{{ 'false' if not changed_only() else rows ~ '._dlt_load_id not in (select load_id from ' ~ source('ops', 'built_loads') ~ ')' }}
{%- endmacro %}

{#- A relation as the last build left it. Not a `ref`: what changed is made before the relation is. -#}
{% macro as_built(schema, table) %}{{ schema }}{{ var('schema_suffix', '') }}.{{ table }}{% endmacro %}

{#- Of what changed: no row, with such columns. -#}
{% macro nothing(columns) -%}
select {% for column in columns %}cast(null as {{ dbt.type_string() }}) as {{ column }}{{ ', ' if not loop.last }}{% endfor %}
from {{ source('ops', 'shops') }}
where false
{%- endmacro %}
