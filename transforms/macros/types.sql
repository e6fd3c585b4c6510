{% macro money() %}decimal(28, 4){% endmacro %}

{#- Two amounts multiplied; unknown where the product would not fit, so that one absurd value in a
    shop does not stop its reports. -#}
{% macro product_of(left, right) %}{{ return(adapter.dispatch('product_of')(left, right)) }}{% endmacro %}
{% macro default__product_of(left, right) -%}
case
        when abs({{ left }}) < 1000000000000 and abs({{ right }}) < 1000000000000
            then cast({{ left }} * {{ right }} as {{ money() }})
    end
{%- endmacro %}
{#- DuckDB takes forty times as long to round a product of more than eighteen digits. So what fits in
    them (both sides have four places, the left one is the smaller) is multiplied in them. -#}
{% macro duckdb__product_of(left, right) -%}
case
        when abs({{ left }}) < 1000 and abs({{ right }}) < 10000000
            then cast(try_cast({{ left }} as decimal(7, 4)) * try_cast({{ right }} as decimal(11, 4)) as {{ money() }})
        else {{ default__product_of(left, right) }}
    end
{%- endmacro %}

{#- A cast that gives null instead of an error. -#}
{% macro try_cast(expression, type) %}{{ return(adapter.dispatch('try_cast')(expression, type)) }}{% endmacro %}
{% macro default__try_cast(expression, type) %}try_cast({{ expression }} as {{ type }}){% endmacro %}
{#- PostgreSQL 16 and later. By itself it also takes words (`today`) for days. -#}
{% macro postgres__try_cast(expression, type) -%}
case
            when pg_input_is_valid(cast({{ expression }} as text), '{{ type }}')
                {%- if type.startswith(('date', 'timestamp')) %} and {{ expression }} like '____-__-__%'{% endif %}
                then cast({{ expression }} as {{ type }})
        end
{%- endmacro %}

{#- The text of one key of a JSON object held as text; null when the key or the text is absent. -#}
{% macro json_text(column, key) %}{{ return(adapter.dispatch('json_text')(column, key)) }}{% endmacro %}
{% macro duckdb__json_text(column, key) %}json_extract_string({{ column }}, '$.{{ key }}'){% endmacro %}
{% macro postgres__json_text(column, key) %}(cast({{ column }} as json) ->> '{{ key }}'){% endmacro %}
{% macro spark__json_text(column, key) %}get_json_object({{ column }}, '$.{{ key }}'){% endmacro %}

{#- The fields of a JSON object of texts, one row each: columns `key` and `value`. In a join each of them would hold
    the whole object. -#}
{% macro json_fields(column) %}{{ return(adapter.dispatch('json_fields')(column)) }}{% endmacro %}
{% macro duckdb__json_fields(column) %}unnest(map_entries(from_json({{ column }}, '"MAP(VARCHAR, VARCHAR)"')), recursive := true){% endmacro %}
{% macro postgres__json_fields(column) %}(json_each_text(cast({{ column }} as json))).*{% endmacro %}
{% macro spark__json_fields(column) %}explode(from_json({{ column }}, 'map<string, string>')){% endmacro %}

{#- One text that differs when any of the columns does; null differs from empty. -#}
{% macro fingerprint(columns) %}
    md5(concat_ws('|'
    {%- for column in columns %}, coalesce(cast({{ column }} as {{ dbt.type_string() }}), '~'){% endfor -%}
    ))
{% endmacro %}

{% macro instant_type() %}{{ return(adapter.dispatch('instant_type')()) }}{% endmacro %}
{% macro default__instant_type() %}{{ return('timestamp with time zone') }}{% endmacro %}
{% macro spark__instant_type() %}{{ return('timestamp') }}{% endmacro %}

{#- What is left of a telephone number: its digits, of which the last eight count, so that a
    country's code written or not makes no difference. -#}
{% macro phone_digits(column) %}translate({{ column }}, ' +-()./', ''){% endmacro %}

{#- Whether a text is figures alone. -#}
{% macro is_plain_number(column) %}translate({{ column }}, '0123456789', '') = ''{% endmacro %}

{% macro double_type() %}{{ return(adapter.dispatch('double_type')()) }}{% endmacro %}
{% macro default__double_type() %}{{ return('double precision') }}{% endmacro %}
{% macro spark__double_type() %}{{ return('double') }}{% endmacro %}
