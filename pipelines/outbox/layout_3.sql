-- A queue of before 0.1.0 (tree 363a4a4) in the layout of today. What may have been sent is in
-- doubt, and is looked up by the next push.
alter table changes rename to old_changes;
alter table history rename to old_history;
alter table touched rename to old_touched;
alter table services rename to old_services;
alter table identity rename to old_identity;
drop index changes_by_state;
drop index changes_by_record;
drop index changes_by_id;
drop index changes_by_merge;
drop index history_by_number;
drop index services_by_hash;
-- schema --
insert into services (id, shop, address, address_hash, key_hash, last_at, ahead)
    select id, shop, address, address_hash, key_hash, last_at, skew from old_services;
insert into identity select one, queue, machine, path, boot, '', watermark from old_identity;
insert into history select number, at, event, detail from old_history;
insert into written select shop, resource, id, coalesce(number, 0), pushed_at, mirrored_at,
    iif(mirrored_at is null, null, '') from old_touched;
insert into changes (number, shop, resource, op, record_id, body, basis, file, marker, state,
    reason, queued_by, queued_at, service, attempts, sent_body, sent_at, fence, said, answered,
    looks, look_at, needs_person, id, answer, pushed_at)
select number, shop, resource, op, record_id, body, base, file, marker,
    case when state = 'sending' then 'in_doubt'
         when doubted_since is not null and state in ('queued', 'conflict') then 'in_doubt'
         else state end,
    reason, queued_by, queued_at, service, attempts,
    iif(op = 'update', null, sent_body), sent_at,
    case when state in ('sending', 'in_doubt') or doubted_since is not null then json_object(
        'since', doubted_since,
        'first', sent_at,
        'until', coalesce(sent_at, doubted_since, queued_at) + 300,
        'known', json(iif(json_extract(baseline, '$.ids') is null
                or json_extract(baseline, '$.unsure') is not null, 'null',
            (select json_group_object(value, '') from json_each(baseline, '$.ids')))),
        'before', json(coalesce(json_extract(baseline, '$.before'), 'null')),
        'restored', json(iif(state in ('sending', 'in_doubt'), 'false', 'true'))) end,
    case when json_extract(progress, '$.said_done') then 'done'
         when json_extract(progress, '$.refused') = 'exists' then 'no' else '' end,
    coalesce(json_extract(progress, '$.upload'), json_extract(progress, '$.answered')),
    0, iif(state in ('sending', 'in_doubt') or doubted_since is not null, 0, null),
    iif(state = 'in_doubt', for_person, 0), id, answer,
    iif(state = 'done', coalesce(pushed_at, queued_at), pushed_at)
from old_changes order by number;
insert into history select number, strftime('%s', 'now'), 'brought over',
    'from the layout before 0.1.0' from changes where state in ('queued', 'in_doubt', 'conflict');
drop table old_changes;
drop table old_history;
drop table old_touched;
drop table old_services;
drop table old_identity;
