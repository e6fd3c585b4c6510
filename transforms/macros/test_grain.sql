{% test grain(model, columns) %}
{#- The rows that break the grain: a part of the key missing, or the key twice. -#}
select {{ columns | join(', ') }}, count(*) as times
from {{ model }}
group by {% for column in columns %}{{ loop.index }}{{ ', ' if not loop.last }}{% endfor %}
having count(*) > 1
    {%- for column in columns %} or {{ column }} is null{% endfor %}
{% endtest %}
