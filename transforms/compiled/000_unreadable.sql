-- path: models/ops/unreadable.sql
-- kind: table
-- schema: ops
-- table: unreadable

-- Values the loader could not read as what they should be, and moments that are no date after all.

select
    fields.shop_id,
    'users' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."users"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'users' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."users" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'tax_rates' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."tax_rates"
    where _unreadable is not null
) as fields
union all

select
    fields.shop_id,
    'payment_methods' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."payment_methods"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'payment_methods' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."payment_methods" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'time_clock' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."time_clock"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'time_clock' as table_name,
    source.id as id,
    'in_date' as column_name,
    source.in_date as original,
    'no date or time' as reason
from "raw"."time_clock" as source
where source.in_date is not null
    and case
            when case when source.in_date like '__________T________-__:__' or source.in_date like '__________T________+__:__' then true
            else source.in_date like '%T%+__:__' or source.in_date like '%T%-__:__' or source.in_date like '%T%Z' end then try_cast(source.in_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.in_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.in_date as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'time_clock' as table_name,
    source.id as id,
    'out_date' as column_name,
    source.out_date as original,
    'no date or time' as reason
from "raw"."time_clock" as source
where source.out_date is not null
    and case
            when case when source.out_date like '__________T________-__:__' or source.out_date like '__________T________+__:__' then true
            else source.out_date like '%T%+__:__' or source.out_date like '%T%-__:__' or source.out_date like '%T%Z' end then try_cast(source.out_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.out_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.out_date as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'time_clock' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."time_clock" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'appointments' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."appointments"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'appointments' as table_name,
    source.id as id,
    'start_date' as column_name,
    source.start_date as original,
    'no date or time' as reason
from "raw"."appointments" as source
where source.start_date is not null
    and case
            when case when source.start_date like '__________T________-__:__' or source.start_date like '__________T________+__:__' then true
            else source.start_date like '%T%+__:__' or source.start_date like '%T%-__:__' or source.start_date like '%T%Z' end then try_cast(source.start_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.start_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.start_date as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'appointments' as table_name,
    source.id as id,
    'end_date' as column_name,
    source.end_date as original,
    'no date or time' as reason
from "raw"."appointments" as source
where source.end_date is not null
    and case
            when case when source.end_date like '__________T________-__:__' or source.end_date like '__________T________+__:__' then true
            else source.end_date like '%T%+__:__' or source.end_date like '%T%-__:__' or source.end_date like '%T%Z' end then try_cast(source.end_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.end_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.end_date as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'appointments' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."appointments" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'appointments' as table_name,
    source.id as id,
    'last_updated' as column_name,
    source.last_updated as original,
    'no date or time' as reason
from "raw"."appointments" as source
where source.last_updated is not null
    and case
            when case when source.last_updated like '__________T________-__:__' or source.last_updated like '__________T________+__:__' then true
            else source.last_updated like '%T%+__:__' or source.last_updated like '%T%-__:__' or source.last_updated like '%T%Z' end then try_cast(source.last_updated as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.last_updated as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.last_updated as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'appointments__attendees' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, parent_id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."appointments__attendees"
    where _unreadable is not null
) as fields
union all

select
    fields.shop_id,
    'customers' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."customers"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'customers' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."customers" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'customers' as table_name,
    source.id as id,
    'last_updated' as column_name,
    source.last_updated as original,
    'no date or time' as reason
from "raw"."customers" as source
where source.last_updated is not null
    and case
            when case when source.last_updated like '__________T________-__:__' or source.last_updated like '__________T________+__:__' then true
            else source.last_updated like '%T%+__:__' or source.last_updated like '%T%-__:__' or source.last_updated like '%T%Z' end then try_cast(source.last_updated as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.last_updated as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.last_updated as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'customers' as table_name,
    source.id as id,
    'date_of_birth' as column_name,
    source.date_of_birth as original,
    'no date or time' as reason
from "raw"."customers" as source
where source.date_of_birth is not null
    and case
            when case when source.date_of_birth like '__________T________-__:__' or source.date_of_birth like '__________T________+__:__' then true
            else source.date_of_birth like '%T%+__:__' or source.date_of_birth like '%T%-__:__' or source.date_of_birth like '%T%Z' end then try_cast(source.date_of_birth as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.date_of_birth as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.date_of_birth as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'groups' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."groups"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'groups' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."groups" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'tickets' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."tickets"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'tickets' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."tickets" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'tickets' as table_name,
    source.id as id,
    'last_updated' as column_name,
    source.last_updated as original,
    'no date or time' as reason
from "raw"."tickets" as source
where source.last_updated is not null
    and case
            when case when source.last_updated like '__________T________-__:__' or source.last_updated like '__________T________+__:__' then true
            else source.last_updated like '%T%+__:__' or source.last_updated like '%T%-__:__' or source.last_updated like '%T%Z' end then try_cast(source.last_updated as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.last_updated as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.last_updated as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'tickets' as table_name,
    source.id as id,
    'due_date' as column_name,
    source.due_date as original,
    'no date or time' as reason
from "raw"."tickets" as source
where source.due_date is not null
    and case
            when case when source.due_date like '__________T________-__:__' or source.due_date like '__________T________+__:__' then true
            else source.due_date like '%T%+__:__' or source.due_date like '%T%-__:__' or source.due_date like '%T%Z' end then try_cast(source.due_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.due_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.due_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'tickets__lines' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, parent_id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."tickets__lines"
    where _unreadable is not null
) as fields
union all

select
    fields.shop_id,
    'tickets__payments' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, parent_id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."tickets__payments"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'tickets__payments' as table_name,
    source.parent_id as id,
    'date' as column_name,
    source.date as original,
    'no date or time' as reason
from "raw"."tickets__payments" as source
where source.date is not null
    and case
            when case when source.date like '__________T________-__:__' or source.date like '__________T________+__:__' then true
            else source.date like '%T%+__:__' or source.date like '%T%-__:__' or source.date like '%T%Z' end then try_cast(source.date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'ticket_comments' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."ticket_comments"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'ticket_comments' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."ticket_comments" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'ticket_comments' as table_name,
    source.id as id,
    'last_updated' as column_name,
    source.last_updated as original,
    'no date or time' as reason
from "raw"."ticket_comments" as source
where source.last_updated is not null
    and case
            when case when source.last_updated like '__________T________-__:__' or source.last_updated like '__________T________+__:__' then true
            else source.last_updated like '%T%+__:__' or source.last_updated like '%T%-__:__' or source.last_updated like '%T%Z' end then try_cast(source.last_updated as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.last_updated as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.last_updated as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'ticket_timers' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."ticket_timers"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'ticket_timers' as table_name,
    source.id as id,
    'start_date' as column_name,
    source.start_date as original,
    'no date or time' as reason
from "raw"."ticket_timers" as source
where source.start_date is not null
    and case
            when case when source.start_date like '__________T________-__:__' or source.start_date like '__________T________+__:__' then true
            else source.start_date like '%T%+__:__' or source.start_date like '%T%-__:__' or source.start_date like '%T%Z' end then try_cast(source.start_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.start_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.start_date as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'ticket_timers' as table_name,
    source.id as id,
    'end_date' as column_name,
    source.end_date as original,
    'no date or time' as reason
from "raw"."ticket_timers" as source
where source.end_date is not null
    and case
            when case when source.end_date like '__________T________-__:__' or source.end_date like '__________T________+__:__' then true
            else source.end_date like '%T%+__:__' or source.end_date like '%T%-__:__' or source.end_date like '%T%Z' end then try_cast(source.end_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.end_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.end_date as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'ticket_timers' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."ticket_timers" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'statuses' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."statuses"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'statuses' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."statuses" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'presets' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."presets"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'presets' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."presets" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'presets__lines' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, parent_id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."presets__lines"
    where _unreadable is not null
) as fields
union all

select
    fields.shop_id,
    'preset_categories' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."preset_categories"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'preset_categories' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."preset_categories" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'issue_types' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."issue_types"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'issue_types' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."issue_types" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'ticket_invoices' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."ticket_invoices"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'ticket_invoices' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."ticket_invoices" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'ticket_invoices' as table_name,
    source.id as id,
    'due_date' as column_name,
    source.due_date as original,
    'no date or time' as reason
from "raw"."ticket_invoices" as source
where source.due_date is not null
    and case
            when case when source.due_date like '__________T________-__:__' or source.due_date like '__________T________+__:__' then true
            else source.due_date like '%T%+__:__' or source.due_date like '%T%-__:__' or source.due_date like '%T%Z' end then try_cast(source.due_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.due_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.due_date as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'ticket_invoices' as table_name,
    source.id as id,
    'last_updated' as column_name,
    source.last_updated as original,
    'no date or time' as reason
from "raw"."ticket_invoices" as source
where source.last_updated is not null
    and case
            when case when source.last_updated like '__________T________-__:__' or source.last_updated like '__________T________+__:__' then true
            else source.last_updated like '%T%+__:__' or source.last_updated like '%T%-__:__' or source.last_updated like '%T%Z' end then try_cast(source.last_updated as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.last_updated as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.last_updated as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'ticket_invoices__lines' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, parent_id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."ticket_invoices__lines"
    where _unreadable is not null
) as fields
union all

select
    fields.shop_id,
    'ticket_invoices__payments' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, parent_id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."ticket_invoices__payments"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'ticket_invoices__payments' as table_name,
    source.parent_id as id,
    'date' as column_name,
    source.date as original,
    'no date or time' as reason
from "raw"."ticket_invoices__payments" as source
where source.date is not null
    and case
            when case when source.date like '__________T________-__:__' or source.date like '__________T________+__:__' then true
            else source.date like '%T%+__:__' or source.date like '%T%-__:__' or source.date like '%T%Z' end then try_cast(source.date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'ticket_invoices__returns' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, parent_id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."ticket_invoices__returns"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'ticket_invoices__returns' as table_name,
    source.parent_id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."ticket_invoices__returns" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'ticket_invoices__returns__lines' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, parent_id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."ticket_invoices__returns__lines"
    where _unreadable is not null
) as fields
union all

select
    fields.shop_id,
    'pos_orders' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."pos_orders"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'pos_orders' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."pos_orders" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'pos_orders' as table_name,
    source.id as id,
    'due_date' as column_name,
    source.due_date as original,
    'no date or time' as reason
from "raw"."pos_orders" as source
where source.due_date is not null
    and case
            when case when source.due_date like '__________T________-__:__' or source.due_date like '__________T________+__:__' then true
            else source.due_date like '%T%+__:__' or source.due_date like '%T%-__:__' or source.due_date like '%T%Z' end then try_cast(source.due_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.due_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.due_date as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'pos_orders' as table_name,
    source.id as id,
    'last_updated' as column_name,
    source.last_updated as original,
    'no date or time' as reason
from "raw"."pos_orders" as source
where source.last_updated is not null
    and case
            when case when source.last_updated like '__________T________-__:__' or source.last_updated like '__________T________+__:__' then true
            else source.last_updated like '%T%+__:__' or source.last_updated like '%T%-__:__' or source.last_updated like '%T%Z' end then try_cast(source.last_updated as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.last_updated as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.last_updated as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'pos_orders__lines' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, parent_id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."pos_orders__lines"
    where _unreadable is not null
) as fields
union all

select
    fields.shop_id,
    'pos_orders__payments' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, parent_id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."pos_orders__payments"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'pos_orders__payments' as table_name,
    source.parent_id as id,
    'date' as column_name,
    source.date as original,
    'no date or time' as reason
from "raw"."pos_orders__payments" as source
where source.date is not null
    and case
            when case when source.date like '__________T________-__:__' or source.date like '__________T________+__:__' then true
            else source.date like '%T%+__:__' or source.date like '%T%-__:__' or source.date like '%T%Z' end then try_cast(source.date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'pos_orders__returns' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, parent_id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."pos_orders__returns"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'pos_orders__returns' as table_name,
    source.parent_id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."pos_orders__returns" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'pos_orders__returns__lines' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, parent_id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."pos_orders__returns__lines"
    where _unreadable is not null
) as fields
union all

select
    fields.shop_id,
    'payments' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."payments"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'payments' as table_name,
    source.id as id,
    'date' as column_name,
    source.date as original,
    'no date or time' as reason
from "raw"."payments" as source
where source.date is not null
    and case
            when case when source.date like '__________T________-__:__' or source.date like '__________T________+__:__' then true
            else source.date like '%T%+__:__' or source.date like '%T%-__:__' or source.date like '%T%Z' end then try_cast(source.date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'products' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."products"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'products' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."products" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'products' as table_name,
    source.id as id,
    'last_updated' as column_name,
    source.last_updated as original,
    'no date or time' as reason
from "raw"."products" as source
where source.last_updated is not null
    and case
            when case when source.last_updated like '__________T________-__:__' or source.last_updated like '__________T________+__:__' then true
            else source.last_updated like '%T%+__:__' or source.last_updated like '%T%-__:__' or source.last_updated like '%T%Z' end then try_cast(source.last_updated as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.last_updated as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.last_updated as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'warranties' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."warranties"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'warranties' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."warranties" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'models' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."models"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'models' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."models" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'model_groups' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."model_groups"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'model_groups' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."model_groups" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'categories' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."categories"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'categories' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."categories" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'brands' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."brands"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'brands' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."brands" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'stock_count' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."stock_count"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'stock_count' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."stock_count" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'stock_count__products' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, parent_id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."stock_count__products"
    where _unreadable is not null
) as fields
union all

select
    fields.shop_id,
    'stock' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."stock"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'stock' as table_name,
    source.id as id,
    'expired_on' as column_name,
    source.expired_on as original,
    'no date or time' as reason
from "raw"."stock" as source
where source.expired_on is not null
    and case
            when case when source.expired_on like '__________T________-__:__' or source.expired_on like '__________T________+__:__' then true
            else source.expired_on like '%T%+__:__' or source.expired_on like '%T%-__:__' or source.expired_on like '%T%Z' end then try_cast(source.expired_on as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.expired_on as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.expired_on as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'stock' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."stock" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'serials' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."serials"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'serials' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."serials" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'adjustments' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."adjustments"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'adjustments' as table_name,
    source.id as id,
    'adjustment_date' as column_name,
    source.adjustment_date as original,
    'no date or time' as reason
from "raw"."adjustments" as source
where source.adjustment_date is not null
    and case
            when case when source.adjustment_date like '__________T________-__:__' or source.adjustment_date like '__________T________+__:__' then true
            else source.adjustment_date like '%T%+__:__' or source.adjustment_date like '%T%-__:__' or source.adjustment_date like '%T%Z' end then try_cast(source.adjustment_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.adjustment_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.adjustment_date as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'adjustments' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."adjustments" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'adjustments__products' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, parent_id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."adjustments__products"
    where _unreadable is not null
) as fields
union all

select
    fields.shop_id,
    'suppliers' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."suppliers"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'suppliers' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."suppliers" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'purchase_orders' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."purchase_orders"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'purchase_orders' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."purchase_orders" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'purchase_orders' as table_name,
    source.id as id,
    'received_date' as column_name,
    source.received_date as original,
    'no date or time' as reason
from "raw"."purchase_orders" as source
where source.received_date is not null
    and case
            when case when source.received_date like '__________T________-__:__' or source.received_date like '__________T________+__:__' then true
            else source.received_date like '%T%+__:__' or source.received_date like '%T%-__:__' or source.received_date like '%T%Z' end then try_cast(source.received_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.received_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.received_date as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'purchase_orders' as table_name,
    source.id as id,
    'expected_date' as column_name,
    source.expected_date as original,
    'no date or time' as reason
from "raw"."purchase_orders" as source
where source.expected_date is not null
    and case
            when case when source.expected_date like '__________T________-__:__' or source.expected_date like '__________T________+__:__' then true
            else source.expected_date like '%T%+__:__' or source.expected_date like '%T%-__:__' or source.expected_date like '%T%Z' end then try_cast(source.expected_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.expected_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.expected_date as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'purchase_orders' as table_name,
    source.id as id,
    'last_updated' as column_name,
    source.last_updated as original,
    'no date or time' as reason
from "raw"."purchase_orders" as source
where source.last_updated is not null
    and case
            when case when source.last_updated like '__________T________-__:__' or source.last_updated like '__________T________+__:__' then true
            else source.last_updated like '%T%+__:__' or source.last_updated like '%T%-__:__' or source.last_updated like '%T%Z' end then try_cast(source.last_updated as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.last_updated as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.last_updated as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'purchase_orders__lines' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, parent_id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."purchase_orders__lines"
    where _unreadable is not null
) as fields
union all

select
    fields.shop_id,
    'expenses' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."expenses"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'expenses' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."expenses" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'expense_categories' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."expense_categories"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'expense_categories' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."expense_categories" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'leads' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."leads"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'leads' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."leads" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'leads' as table_name,
    source.id as id,
    'last_updated' as column_name,
    source.last_updated as original,
    'no date or time' as reason
from "raw"."leads" as source
where source.last_updated is not null
    and case
            when case when source.last_updated like '__________T________-__:__' or source.last_updated like '__________T________+__:__' then true
            else source.last_updated like '%T%+__:__' or source.last_updated like '%T%-__:__' or source.last_updated like '%T%Z' end then try_cast(source.last_updated as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.last_updated as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.last_updated as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'custom_fields' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."custom_fields"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'custom_fields' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."custom_fields" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'shipments' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."shipments"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'shipments' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."shipments" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all

select
    fields.shop_id,
    'shipments_deleted' as table_name,
    fields.id,
    fields.key as column_name,
    fields.value as original,
    'not readable as the kind of the column' as reason
from (
    select shop_id, id as id, unnest(map_entries(from_json(_unreadable, '"MAP(VARCHAR, VARCHAR)"')), recursive := true)
    from "raw"."shipments_deleted"
    where _unreadable is not null
) as fields
union all
select
    source.shop_id,
    'shipments_deleted' as table_name,
    source.id as id,
    'created_date' as column_name,
    source.created_date as original,
    'no date or time' as reason
from "raw"."shipments_deleted" as source
where source.created_date is not null
    and case
            when case when source.created_date like '__________T________-__:__' or source.created_date like '__________T________+__:__' then true
            else source.created_date like '%T%+__:__' or source.created_date like '%T%-__:__' or source.created_date like '%T%Z' end then try_cast(source.created_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.created_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.created_date as timestamp) at time zone 'UTC' end
        end is null
union all
select
    source.shop_id,
    'shipments_deleted' as table_name,
    source.id as id,
    'deleted_date' as column_name,
    source.deleted_date as original,
    'no date or time' as reason
from "raw"."shipments_deleted" as source
where source.deleted_date is not null
    and case
            when case when source.deleted_date like '__________T________-__:__' or source.deleted_date like '__________T________+__:__' then true
            else source.deleted_date like '%T%+__:__' or source.deleted_date like '%T%-__:__' or source.deleted_date like '%T%Z' end then try_cast(source.deleted_date as timestamp with time zone)
            else case when 'UTC' = cast(getvariable('usual_zone') as varchar) then try_cast(source.deleted_date as timestamp) at time zone cast(getvariable('usual_zone') as varchar) else try_cast(source.deleted_date as timestamp) at time zone 'UTC' end
        end is null
