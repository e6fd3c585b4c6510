{#- One row for each key, and no row without one: `unique` and `not_null` of the columns together. -#}
{% test grain(model, columns) %}
select {{ columns | join(', ') }}, count(*) as times
from {{ model }} as rows_now
where {{ is_new_in(model, 'rows_now') }}
group by {{ columns | join(', ') }}
having count(*) > 1{% for column in columns %} or {{ column }} is null{% endfor %}
{% endtest %}
