-- The ledger (mirror.sqlite). Times are UTC ISO text, days ISO text in the shop's zone.
-- `seq` numbers answers, rows that changed and deletions upwards for good: places in the log.

create table meta(
  name text primary key,
  value not null
) without rowid;
-- ledger_id: tells this ledger from every other one
-- seq: the newest number; changed: the newest of a row that changed

create table runs(
  run_id integer primary key, command text not null, started_at text not null, ended_at text,
  outcome text, exit_code integer, requests integer not null default 0,
  rows integer not null default 0, message text, detail text,
  token text not null,           -- what a destination keeps with its offsets
  began_seq integer not null
);

create table scans(
  scan_id integer primary key, run_id integer not null, shop text not null, list text not null,
  kind text not null, spec text not null, opened_at text not null, closed_at text,
  state text not null default 'open', proof text, reason text,
  pages integer not null default 0, rows integer not null default 0,
  requests integer not null default 0, first_day text, last_day text,
  began_seq integer not null,
  boot text, ticks real          -- when it was opened, by what no setting of the clock changes
);
create index scans_open on scans(shop, list, state);

-- Answers of open scans: what a scan that goes on need not ask again.
create table pages(
  scan_id integer not null, key text not null, summary text not null,
  primary key (scan_id, key)
) without rowid;

-- The compacted change log: each row's newest content, under a number of its own.
create table rows(
  shop text not null, list text not null, id text not null,
  day text,                      -- the day that its list sorts and filters by
  digest blob not null,          -- of its content
  seq integer not null,          -- of its newest change: content or deletion
  seen integer not null,         -- of the answer that showed it last
  seen_at text not null,         -- when the content was answered
  shown text not null default '',-- slice of the list that shows it; '-': none does, but it exists
  is_open integer not null default 0,
  missed integer,                -- run in which its own path said first that it is gone
  deleted_at text,
  is_refused integer not null default 0,  -- no destination takes its values: it is told as text
  body blob                      -- content as JSON, packed; null: only a destination holds it
);
create unique index rows_id on rows(shop, list, id);
create index rows_seq on rows(shop, list, seq);
create index rows_unheld on rows(shop, list, seq) where body is null;
create index rows_day on rows(shop, list, shown, day) where deleted_at is null;

create table dictionaries(
  list text primary key, body blob not null
) without rowid;

-- What is known of each list: days are those from which the next scan of a kind goes on.
create table lists(
  shop text not null, list text not null,
  whole_on text, new_on text, updated_on text, paid_on text, hidden_on text, categories_on text,
  page_rows integer,             -- rows of its pages, where these are not fifty
  primary key (shop, list)
) without rowid;

create table reports(
  shop text not null, report text not null, period text not null, total text not null,
  fetched_at text not null,
  primary key (shop, report, period)
) without rowid;

create table notes(
  shop text not null, name text not null, value text not null,
  primary key (shop, name)
) without rowid;
