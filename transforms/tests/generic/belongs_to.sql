{#- `relationships` within a shop: what a column names is a row of another model. -#}
{% test belongs_to(model, column_name, to, field='id') %}
select child.shop_id, child.{{ column_name }} as names
from {{ model }} as child
left join {{ to }} as parent
    on parent.shop_id = child.shop_id and parent.{{ field }} = child.{{ column_name }}
where child.{{ column_name }} is not null and parent.{{ field }} is null
{% endtest %}
