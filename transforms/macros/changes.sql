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

{#- Days of a sale, on one of which it counts: which, is a shop's definition. -#}
{% macro sales_days() %}{{ return(['effect_day', 'document_day', 'ticket_day', 'due_day', 'settled_day']) }}{% endmacro %}

{#- Whether a row's key is in a relation of what changed; always, in a whole build. -#}
{% macro is_changed(changed, rows, key) -%}
{#- Named in a whole build too: the order of a build is that of what models name. -#}
{%- set relation = ref(changed) -%}
{{ in_changed(relation, rows, key) if changed_only() else 'true' }}
{%- endmacro %}

{#- Not `exists`: DuckDB first groups all rows by their keys for that. And by one column too, the last and most
    telling, of rows that pass a condition: only for such a join it leaves out rows while it reads them, so that
    no moment is worked out of the others. -#}
{% macro in_changed(relation, rows, key) -%}
{%- set names, ours, whose = [], [], ["shop_id >= ''"] -%}
{%- for theirs, our in key.items() -%}
{%- if our.startswith("'") -%}{%- do whose.append(theirs ~ ' = ' ~ our) -%}
{%- else -%}{%- do names.append(theirs) -%}{%- do ours.append(rows ~ '.' ~ our) -%}{%- endif -%}
{%- endfor -%}
{%- set found = ' from ' ~ relation ~ ' where ' ~ whose | join(' and ') -%}
{{ ours[-1] }} in (select {{ names[-1] }}{{ found }})
        and ({{ ours | join(', ') }}) in (select {{ names | join(', ') }}{{ found }})
{%- endmacro %}

{#- Of rows that are joined by a column to those that changed: whether that names them. All, in a whole build. -#}
{% macro is_named(column, relation, name) -%}
{{ column ~ ' in (select ' ~ name ~ ' from ' ~ relation ~ ' where ' ~ name ~ " >= '')" if changed_only() else 'true' }}
{%- endmacro %}

{#- Of a model that is kept, the rows that a night replaced; all of any other, and in a whole build. -#}
{% macro is_new_in(model, rows) -%}
{%- set kept = namespace(meta={}) -%}
{%- if execute and changed_only() -%}
{%- for node in graph.nodes.values() if node.resource_type == 'model' and node.relation_name == model | string -%}
{%- set kept.meta = node.config.meta -%}
{%- endfor -%}
{%- endif -%}
{{ in_changed(as_built('intermediate', kept.meta.changed), rows, kept.meta.key) if kept.meta else 'true' }}
{%- endmacro %}

{#- Lists of which is known what came: those whose loads pipelines.transform.incremental compares. -#}
{% macro changed_lists() -%}
{{ return({
    'ticket_invoices': 'ticket_invoice', 'pos_orders': 'pos_order', 'tickets': 'ticket', 'payments': 'payment',
    'products': 'product', 'customers': 'customer', 'ticket_comments': 'ticket_comment', 'ticket_timers': 'ticket_timer',
}) }}
{%- endmacro %}

{#- Whether a raw row, or the record of a nested one, came since the last build or is in `besides` (a query
    for shop_id and id); all rows of other lists, and in a whole build. -#}
{% macro is_raw_news(table, rows, besides=none) -%}
{%- set records, type = ref('int_changed_records'), changed_lists().get(table.split('__')[0]) -%}
{%- if not changed_only() or not type -%} true
{%- else -%}
{%- set id = rows ~ ('.parent_id' if '__' in table else '.id') -%}
{%- set news -%}
select shop_id, record_id from {{ records }} where record_type = '{{ type }}' {{- ' union all ' ~ besides if besides }}
{%- endset -%}
{#- By the one column too, as in `in_changed`. -#}
{{ id }} in (select record_id from ({{ news }}) as news)
    and ({{ rows }}.shop_id, {{ id }}) in ({{ news }})
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
select {% for column in columns %}cast(null as {{ 'date' if column.endswith('day') or column in ['month', 'period'] else dbt.type_string() }}) as {{ column }}{{ ', ' if not loop.last }}{% endfor %}
from {{ source('ops', 'shops') }}
where false
{%- endmacro %}
