{#-
    A moment in raw is text in one of three forms: `2026-07-16T18:22:05-06:00` (an instant),
    `2026-07-16T18:22:05` (the shop's wall clock), `2026-07-16` (a day of the shop). Each becomes
    `<name>_at`, an instant, and `<name>_day`, a day of the shop. The shop's time zone is looked up
    and not stored with the row, so a corrected zone is right after the next run.
-#}
{% macro moment(column, name) -%}
{{ moment_at(column, shop_zone()) }} as {{ name }}_at,
        {{ moment_day(column, shop_zone()) }} as {{ name }}_day
{%- endmacro %}

{% macro shop_zone() %}coalesce(shops.timezone, 'UTC'){% endmacro %}

{#- First as nearly all of them are written: such a pattern takes a sixth of what those with a `%` take. -#}
{% macro has_offset(column) -%}
case when {{ column }} like '__________T________-__:__' or {{ column }} like '__________T________+__:__' then true
            else {{ column }} like '%T%+__:__' or {{ column }} like '%T%-__:__' or {{ column }} like '%T%Z' end
{%- endmacro %}

{% macro moment_at(column, zone) -%}
case
            when {{ has_offset(column) }} then {{ try_cast(column, instant_type()) }}
            else {{ instant_of_wall_clock(try_cast(column, 'timestamp'), zone) }}
        end
{%- endmacro %}

{% macro moment_day(column, zone) -%}
case
            when {{ has_offset(column) }}
                then {{ local_date(try_cast(column, instant_type()), zone) }}
            else {{ try_cast('substr(' ~ column ~ ', 1, 10)', 'date') }}
        end
{%- endmacro %}

{#- When this build began, on the clock of UTC; where another warehouse stands beside the file, when that of the
    file did: else what is dated by it would differ between them. `make models` names a parameter here, to which
    whoever carries the statements out gives the moment. -#}
{% macro build_moment() -%}
{%- set text = "'" ~ (env_var('SHOPMIRROR_BUILT_AT', '') or run_started_at.replace(tzinfo=none)) ~ "'" -%}
cast({{ var('build_moment', text) }} as timestamp)
{%- endmacro %}

{#- The day on the shop's calendar at an instant. -#}
{% macro local_date(instant, zone) %}cast({{ local_time(instant, zone) }} as date){% endmacro %}

{#- The shop's wall clock at an instant, as a timestamp without zone. -#}
{% macro local_time(instant, zone) %}{{ return(adapter.dispatch('local_time')(instant, zone)) }}{% endmacro %}
{% macro default__local_time(instant, zone) %}({{ instant }} at time zone {{ zone }}){% endmacro %}
{% macro duckdb__local_time(instant, zone) %}{{ in_usual_zone(instant, zone) }}{% endmacro %}
{% macro spark__local_time(instant, zone) %}from_utc_timestamp({{ instant }}, {{ zone }}){% endmacro %}

{#- The instant at which the shop's clock shows a time. -#}
{% macro instant_of_wall_clock(timestamp, zone) %}{{ return(adapter.dispatch('instant_of_wall_clock')(timestamp, zone)) }}{% endmacro %}
{% macro default__instant_of_wall_clock(timestamp, zone) %}({{ timestamp }} at time zone {{ zone }}){% endmacro %}
{% macro duckdb__instant_of_wall_clock(timestamp, zone) %}{{ in_usual_zone(timestamp, zone) }}{% endmacro %}
{% macro spark__instant_of_wall_clock(timestamp, zone) %}to_utc_timestamp({{ timestamp }}, {{ zone }}){% endmacro %}

{#- DuckDB looks a zone up anew for each row, unless it is a constant: six times the cost. So who builds
    names the zone of most shops in a variable; without one it is null, and all take the other way. -#}
{% macro in_usual_zone(moment, zone) -%}
{%- set usual = "cast(getvariable('usual_zone') as varchar)" -%}
case when {{ zone }} = {{ usual }} then {{ moment }} at time zone {{ usual }} else {{ moment }} at time zone {{ zone }} end
{%- endmacro %}

{#- Whole seconds from one instant to another. dbt's own for PostgreSQL counts the hours on the clock of
    the session, which jumps twice a year. -#}
{% macro seconds_between(first, last) %}{{ return(adapter.dispatch('seconds_between')(first, last)) }}{% endmacro %}
{% macro default__seconds_between(first, last) %}{{ dbt.datediff(first, last, 'second') }}{% endmacro %}
{#- dbt's own asks DuckDB for the clock of the session's zone first, in thirty times the time. -#}
{% macro duckdb__seconds_between(first, last) -%}
date_diff('second', make_timestamp(epoch_us({{ first }})), make_timestamp(epoch_us({{ last }})))
{%- endmacro %}
{% macro postgres__seconds_between(first, last) -%}
cast(floor(extract(epoch from {{ last }})) - floor(extract(epoch from {{ first }})) as bigint)
{%- endmacro %}

{% macro month_of(day) %}{{ period_of('month', day) }}{% endmacro %}

{#- The first day of the `day`, `month` or `year`. -#}
{% macro period_of(kind, day) %}{{ day if kind == 'day' else 'cast(' ~ dbt.date_trunc(kind, day) ~ ' as date)' }}{% endmacro %}

{#- Minutes after midnight of the `hh:mm` that begins at a place of a text; null if it is none. -#}
{% macro clock_minutes(column, place) -%}
(
            {{ try_cast('substr(' ~ column ~ ', ' ~ place ~ ', 2)', 'integer') }} * 60
            + {{ try_cast('substr(' ~ column ~ ', ' ~ (place + 3) ~ ', 2)', 'integer') }}
        )
{%- endmacro %}

{#-
    Minutes the shop was open before an instant, counted from the calendar's first day; the
    difference of two is the opening time between them. `calendar` is that instant's day.
-#}
{% macro open_minutes_until(local_time, calendar) -%}
(
            {{ calendar }}.open_minutes_before
            + least(greatest(
                extract(hour from {{ local_time }}) * 60 + extract(minute from {{ local_time }})
                - coalesce({{ calendar }}.opens_minute, 0), 0), {{ calendar }}.open_minutes)
        )
{%- endmacro %}
