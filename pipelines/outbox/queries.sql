-- Statements on the queue, by name; see schema.sql for its tables.

-- name: add
-- What time it is there, by two clocks: people set the one, and the other loses what a machine that
-- was put back did not live. The later one counts.
insert into changes (number, shop, resource, op, record_id, body, basis, file, marker, key,
    queued_by, queued_at, queued_there, stamp, service)
values (:number, :shop, :resource, :op, :record_id, :body, :basis, :file, :marker, :key, :by, :now,
    (select iif(boot = :boot, max(last_at + :ticks - ticks, :now + ahead), null)
     from services where id = :service), :stamp, :service);

-- name: note
insert into history values (:number, :at, :event, :detail);

-- name: history
select at, event, detail from history where number = :number order by rowid;

-- name: counts
select state, count(*) from changes where :shop is null or shop = :shop group by state;

-- name: queued
select number from changes where shop = :shop and state = 'queued' order by number;

-- name: discarded
select count(*) from changes where state = 'rejected' and 'discarded' = (
    select event from history where history.number = changes.number order by rowid desc limit 1);

-- name: orphaned
-- What waits for a change that was rejected: no push will ever send it.
select count(*) from changes as c where state = 'queued' and exists (
    select 1 from changes as r where r.state = 'rejected' and (c.record_id = '@' || r.number
    or c.body like '%{"$queued": ' || r.number || '}%'));

-- name: waiting_by_shop
select shop, count(*) from changes where state in ('queued', 'sending', 'in_doubt') group by shop;

-- name: keys
select key, number from changes where shop = :shop and resource = :resource and op = :op
    and key is not null order by number desc;

-- name: made
-- Ids that other changes made, and that none deleted since.
select id from changes as c where shop = :shop and resource = :resource and op = 'create'
    and id is not null and number <> :but and coalesce(sent_at, 0) between :since and :until
    and not exists (
        select 1 from changes as d where d.shop = c.shop and d.resource = c.resource
        and d.op = 'delete' and d.record_id = c.id and d.state = 'done' and d.number > c.number);

-- name: fill_targets
-- Changes for a record that another change made (``@12``) get its id; later, if it is not done yet.
update changes set record_id = (
    select made.id from changes as made
    where made.number = cast(substr(changes.record_id, 2) as integer))
where number >= :first and record_id like '@%' and exists (
    select 1 from changes as made where made.id is not null
    and made.number = cast(substr(changes.record_id, 2) as integer));

-- name: set_since
-- What earlier updates of its record set since a change was queued, by the order of their history:
-- people set clocks. Older versions kept no body of what was done.
select c.sent_body from changes as own join changes as c using (shop, resource, record_id)
where own.number = :number and c.number < :number and c.state = 'done'
    and c.sent_body is not null
    and (select max(rowid) from history as h where h.number = c.number
        and event in ('done', 'adopted'))
        > (select min(rowid) from history as h where h.number = :number)
order by c.number;

-- name: wrote
insert into written values (:shop, :resource, :id, :number, :now, null, null)
on conflict (shop, resource, id) do update set pushed_at = excluded.pushed_at,
    mirrored_at = null, shown = null, number = excluded.number;

-- name: unread
select t.shop, t.resource, t.id, coalesce(c.op = 'delete', 0) as is_deleted
from written as t left join changes as c using (number)
where t.mirrored_at is null and (:shop is null or t.shop = :shop) order by t.pushed_at;

-- name: mark_mirrored
update written set mirrored_at = :now where shop = :shop and resource = :resource and id = :id
    and mirrored_at is null and pushed_at <= :read_at;

-- name: read_back
select mirrored_at from written where shop = :shop and resource = :resource and id = :id
    and mirrored_at < :published_at;

-- name: uncompared
select t.*, c.op, coalesce(c.sent_body, c.body) as sent_body, c.fence, c.marker from written as t join changes as c using (number)
where t.mirrored_at is not null and coalesce(t.shown, '?') <> ''
    and t.resource = c.resource and c.op <> 'upload';

-- name: compared
update written set shown = :shown where shop = :shop and resource = :resource and id = :id
    and number = :number;

-- name: acknowledge
update written set shown = '' where number = :number and shown <> '' returning number;

-- name: not_shown
select t.number, c.shop, c.resource, c.op, t.id, t.shown
from written as t join changes as c using (number) where t.shown <> '' order by t.number;

-- name: told
select number, shop as shop_id, resource, op, state, reason, queued_by, attempts, answer,
    queued_at, pushed_at, coalesce(sent_body, body) as body, coalesce(record, record_id) as id,
    state = 'done' and exists (select 1 from written as t where t.shop = c.shop
        and t.resource = c.resource and t.id = c.record and t.mirrored_at is not null)
    as is_mirrored
from (select *, case op when 'upload' then record_id else id end as record from changes) as c
order by number;

-- name: maybe_sent
-- What another copy of this queue may have sent: not what was queued since, here.
select * from changes where shop = :shop and (stamp <> :stamp or stamp = '')
    and (:number is null or number = :number)
    and state in ('queued', 'sending', 'conflict', 'rejected', 'in_doubt');

-- name: bound_to_others
select c.number, s.address, s.address_hash from changes as c join services as s on s.id = c.service
where c.shop = :shop and c.service <> :service
    and c.state in ('queued', 'sending', 'in_doubt', 'conflict') order by c.number;

-- name: rebind
update changes set service = :service, version = version + 1 where number = :number;

-- name: service
insert into services (shop, address, address_hash, key_hash)
values (:shop, :address, :address_hash, :key_hash)
on conflict (shop, address_hash, key_hash) do update set address = excluded.address returning id;

-- name: last_number
select coalesce(max(seq), 0) from sqlite_sequence where name = 'changes';

-- name: skip_numbers
update sqlite_sequence set seq = max(seq, :last) where name = 'changes';

-- name: begin_numbers
insert into sqlite_sequence (name, seq) select 'changes', :last
where not exists (select 1 from sqlite_sequence where name = 'changes');

-- name: shops
select distinct shop from changes;

-- name: unsettle
insert into unsettled values (:shop, :kind, :why, :stamp, :number)
on conflict (shop) do update set kind = iif(kind = 'foreign', kind, excluded.kind),
    why = excluded.why, stamp = excluded.stamp, number = excluded.number;

-- name: unsettled
select * from unsettled where :shop is null or shop = :shop;

-- name: adopt
update unsettled set kind = 'restored' where shop = :shop and kind = 'foreign' returning shop;

-- name: settle
delete from unsettled where shop = :shop;

-- name: identity
select * from identity;

-- name: establish
insert into identity values (1, :queue, :machine, :place, :boot, '', '');

-- name: identify
update identity set machine = :machine, place = :place, boot = :boot;

-- name: seal
update identity set token = :token, seal = :seal;

-- name: note_time
update services set last_at = max(coalesce(last_at, 0), :at), ahead = :at - :wall, ticks = :ticks,
    boot = :boot where id = :id;

-- name: last_at
select max(last_at) from services where shop = :shop;

-- name: last_time
select last_at, ahead, ticks, boot from services where id = :id;
