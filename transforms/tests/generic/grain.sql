{#- One row for each key, and no row without one: `unique` and `not_null` of the columns together. -#}
{% test grain(model, columns) %}
select {{ columns | join(', ') }}, count(*) as times
from {{ model }}
group by {{ columns | join(', ') }}
having count(*) > 1{% for column in columns %} or {{ column }} is null{% endfor %}
{% endtest %}
