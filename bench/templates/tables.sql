{% macro declared_tables() %}
    {#- Every raw table: the column that names its record, and its moments.
        [[ note ]] -#}
    {{ return([
[% for level in levels %]
        ('[[ level.table ]]', '[[ "parent_id" if level.parent else "id" ]]', [[ level.moments ]]),
[% endfor %]
    ]) }}
{% endmacro %}
