{#-
    Whether a ticket's status means that the device has left the shop, and whether the work is
    done. Labels are the shop's own ("configurable", specification, States and transitions); the
    pipeline flag decides where the service gives it, else these words do.
-#}
{% macro closed_labels() %}
    {{ return(['collected', 'closed', 'completed', 'complete', 'delivered', 'picked up', 'finished',
        'resolved', 'cancelled', 'canceled', 'rejected', 'declined', 'returned', 'not repairable',
        'unrepairable', 'beyond repair', 'invoiced', 'paid', 'abandoned']) }}
{% endmacro %}

{% macro done_labels() %}
    {{ return(['repaired', 'done', 'ready', 'ready for collection', 'ready for pickup',
        'ready for pick up', 'repair completed', 'repair complete', 'fixed'] + closed_labels()) }}
{% endmacro %}

{% macro is_closed(label, in_pipeline) -%}
coalesce(not {{ in_pipeline }}, coalesce(lower(trim({{ label }})), '') in ({{ quoted(closed_labels()) }}))
{%- endmacro %}

{% macro is_done(label, in_pipeline) -%}
(
            {{ is_closed(label, in_pipeline) }}
            or coalesce(lower(trim({{ label }})), '') in ({{ quoted(done_labels()) }})
        )
{%- endmacro %}

{% macro quoted(words) %}{% for word in words %}'{{ word }}'{{ ', ' if not loop.last }}{% endfor %}{% endmacro %}

{#- Median over a group; the engines of the portable subset all know percentile_cont. -#}
{% macro median(expression) %}percentile_cont(0.5) within group (order by {{ expression }}){% endmacro %}
