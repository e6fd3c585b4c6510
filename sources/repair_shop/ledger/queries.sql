-- Every statement on the ledger, by name. Parameters are bound.

-- name: next_seq
update meta set value = value + :many where name = 'seq' returning value
-- name: meta
select value from meta where name = :name
-- name: set_meta
update meta set value = :value where name = :name

-- name: begin_run
insert into runs(command, started_at, token, began_seq)
values (:command, :at, :token, (select value from meta where name = 'seq'))
-- name: note_killed_runs
update runs set ended_at = :at, outcome = 'killed', message = 'ended without a word'
where ended_at is null
-- name: end_run
update runs set ended_at = :at, outcome = :outcome, exit_code = :exit_code, requests = :requests,
  rows = :rows, message = :message, detail = :detail where run_id = :run_id
-- name: last_runs
select run_id, command, started_at, ended_at, outcome, exit_code, requests, rows, message, iif(:limit < 0, null, (
    select case when sum(is_complete)
      then group_concat(shop, ', ') filter (where not is_complete) end
    from (select json_extract(value, '$.shop') as shop,
                 json_extract(value, '$.complete') as is_complete
          from json_each(detail, '$.shops')))) as shops
from runs order by run_id desc limit :limit
-- name: newest_run
select run_id, token from runs order by run_id desc limit 1
-- name: run_began
select started_at from runs where run_id = :run_id
-- name: run_starts
select began_seq, started_at from runs order by run_id
-- name: outcomes
select run_id, outcome from runs
where (command = 'dlt' or command = 'sync' or command like 'sync %') and ended_at notnull
order by run_id desc limit 1000
-- name: end_of_token
select (select min(began_seq) from runs later where later.run_id > runs.run_id)
from runs where token = :token
-- name: forget_tokens
update runs set token = '' where run_id < (select max(run_id) from runs)
-- name: prune_runs
update runs set detail = null where ended_at < :year
-- name: prune_scans
delete from scans where state <> 'open' and closed_at < :year
  and (state = 'proven' and kind in ('audit', 'repair')
    or scan_id not in (select max(scan_id) from scans where state <> 'dropped'
                       group by shop, list, kind, spec))

-- name: find_scan
select scan_id, shop, list, kind, opened_at, began_seq, run_id from scans
where shop = :shop and list = :list and kind = :kind and spec = :spec and state = 'open'
-- name: open_scan
insert into scans(run_id, shop, list, kind, spec, opened_at, began_seq, boot, ticks)
values (:run_id, :shop, :list, :kind, :spec, :at, (select value + 1 from meta where name = 'seq'),
        :boot, :ticks)
-- name: open_scans
select scan_id, shop, list, kind, opened_at, began_seq, run_id from scans
where state = 'open' and shop = :shop and kind in (select value from json_each(:kinds))
order by scan_id
-- name: recent_scans
select scan_id, list, kind, state from scans
where shop = :shop and run_id >= :first_run and boot = :boot and ticks >= :ticks
-- name: count_request
update scans set requests = requests + 1 where scan_id = :scan_id
-- name: close_scan
update scans set state = :state, proof = :proof, reason = :reason, closed_at = :at,
  first_day = :first_day, last_day = :last_day, pages = :pages, rows = :rows
where scan_id = :scan_id
-- name: doubt_scan
update scans set reason = :reason where scan_id = :scan_id
-- name: newest_state
select state from scans where shop = :shop and list = :list and state <> 'dropped'
  and kind in (select value from json_each(:kinds)) order by scan_id desc limit 1
-- name: newest_rows
select rows from scans where shop = :shop and list = :list and state = 'proven'
  and kind in (select value from json_each(:kinds)) order by scan_id desc limit 1
-- name: newest_scans
select shop, list, kind, spec, state, proof, reason, pages, rows, first_day, last_day, opened_at,
  closed_at
from scans where scan_id in (
  select max(scan_id) from scans where state <> 'dropped' group by shop, list, kind, spec
  union select max(scan_id) from scans where state = 'proven' group by shop, list, kind, spec)
order by shop, list, kind, spec, scan_id
-- name: requests_spent
select shop, run_id, list, kind, sum(requests) from scans where requests > 0
group by 1, 2, 3, 4 order by 1, 2, 3, 4

-- name: page
select summary from pages where scan_id = :scan_id and key = :key
-- name: put_page
insert or replace into pages values (:scan_id, :key, :summary)
-- name: summaries
select summary from pages where scan_id = :scan_id
-- name: drop_pages
delete from pages where scan_id = :scan_id

-- name: known
select id, digest, deleted_at, day from rows
where shop = :shop and list = :list and id in (select value from json_each(:ids))
-- name: put_row
insert into rows(shop, list, id, day, digest, seq, seen, seen_at, shown, is_open, deleted_at,
  body)
values (:shop, :list, :id, :day, :digest, :seq, :seen, :at, iif(:shown = '?', '', :shown),
  :is_open, null, :body)
on conflict(shop, list, id) do update set day = excluded.day, digest = excluded.digest,
  seq = excluded.seq, seen = excluded.seen, seen_at = excluded.seen_at,
  shown = iif(:shown = '?', rows.shown, :shown), is_open = excluded.is_open,
  deleted_at = null, missed = null, is_refused = 0, body = excluded.body
-- name: see_row
update rows set seen = :seen, shown = iif(:shown = '?', shown, :shown),
  missed = iif(:is_of_changes, missed, null)
where shop = :shop and list = :list and id = :id
-- name: live_among
select id from rows where shop = :shop and list = :list and deleted_at is null
  and id in (select value from json_each(:ids)) order by id
-- name: delete_row
update rows set deleted_at = :at, seq = :seq where shop = :shop and list = :list and id = :id
-- name: note_missed
update rows set missed = coalesce(missed, :run_id) where shop = :shop and list = :list and id = :id
-- name: note_shown
update rows set shown = :shown where shop = :shop and list = :list
  and id in (select value from json_each(:ids))
-- name: refuse_row
update rows set is_refused = 1, seq = :seq where shop = :shop and list = :list and id = :id
-- name: remember_row
insert or ignore into rows(shop, list, id, day, digest, seq, seen, seen_at, deleted_at, body)
values (:shop, :list, :id, :day, x'', 0, 0, :at, :deleted_at, null)
-- name: known_row
select seen, day, deleted_at, missed, seq from rows
where shop = :shop and list = :list and id = :id
-- name: live_counts
select list, count(*) from rows where shop = :shop and deleted_at is null group by list
-- name: live_count
select count(*) from rows where shop = :shop and list = :list and deleted_at is null
  and (:first is null or day >= :first) and (:last is null or day <= :last)
-- name: live_ids
select id from rows where shop = :shop and list = :list and deleted_at is null
  and (:shown is null or shown = :shown) and (not :listed or shown <> '-')
  and (:is_open is null or is_open = :is_open)
  and (:first is null or day >= :first) and (:last is null or day <= :last)
  and (:before is null or seen < :before)
order by seen, id
-- name: live_days
select day, count(*) from rows where shop = :shop and list = :list and deleted_at is null
  and (:shown is null or shown = :shown) and shown <> '-' group by day
-- name: pages_of_rows
select (place - 1) / :size + 1, avg(seen), iif(count(day) = count(*), max(day), null) from (
  select row_number() over (order by day) as place, seen, day from rows
  where shop = :shop and list = :list and deleted_at is null
  and iif(:shown = '', shown <> '-', shown = :shown))
group by 1 order by 1
-- name: has_seen
select 1 from rows where shop = :shop and list = :list and seen >= :since limit 1
-- name: first_day
select min(day) from rows where shop = :shop and list = :list and deleted_at is null
-- name: changes
select id, seq, seen_at, deleted_at, is_refused, body from rows
where shop = :shop and list = :list and seq > :after and seq <= :until and body notnull
order by seq limit :many
-- name: count_rows
select count(*) from rows where shop = :shop and list = :list
-- name: tell_again
update rows set seq = :first + told.place
from (select id, row_number() over (order by seq) - 1 as place from rows
      where shop = :shop and list = :list) as told
where rows.shop = :shop and rows.list = :list and rows.id = told.id
-- name: marks
select id, deleted_at from rows indexed by rows_unheld where shop = :shop and list = :list
  and seq > :after and seq <= :until and body is null and deleted_at notnull
-- name: has_changes
select 1 from rows where shop = :shop and list = :list and seq > :after limit 1
-- name: bodies
select id, body from rows where shop = :shop and list = :list and deleted_at is null
  and body notnull order by id
-- name: all_bodies
select id, body from rows where shop = :shop and list = :list and body notnull
-- name: set_digest
update rows set digest = :digest where shop = :shop and list = :list and id = :id
-- name: bodies_of
select id, body from rows where shop = :shop and list = :list
  and id in (select value from json_each(:ids)) and body notnull
-- name: changed_bodies
select seq, body from rows where shop = :shop and list = :list and seq > :after and body notnull
order by seq
-- name: dictionary
select body from dictionaries where list = :list
-- name: put_dictionary
insert or ignore into dictionaries values (:list, :body)

-- name: list_state
select * from lists where shop = :shop and list = :list
-- name: shops_read_whole
select shop from lists where list = :list and whole_on notnull
-- name: add_list
insert or ignore into lists(shop, list) values (:shop, :list)
-- name: put_report
insert or replace into reports values (:shop, :report, :period, :total, :at)
-- name: reports
select shop, report, period, total, fetched_at from reports
where (:shop is null or shop = :shop) and (:report is null or report = :report) order by 1, 2, 3

-- name: note
select value from notes where shop = :shop and name = :name
-- name: set_note
insert or replace into notes values (:shop, :name, :value)
-- name: drop_note
delete from notes where shop = :shop and name = :name
-- name: drop_notes
delete from notes where shop = :shop and name like :prefix || '%'
-- name: names_of_notes
select name from notes where shop = :shop and name like :prefix || '%'
-- name: shops_with_note
select shop from notes where name = :name order by shop
