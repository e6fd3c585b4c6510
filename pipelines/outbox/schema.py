"""The tables of ``outbox.sqlite``, as numbered migrations (:mod:`repair_shop.migrations`)."""

STEPS = (
    """
create table if not exists changes (
    number integer primary key autoincrement,
    shop text not null, resource text not null, op text not null,
    record_id text,              -- target of an update, delete or upload; '@12' until known
    body text not null,          -- as queued, references as {"$queued": 12}
    base text not null,          -- what the change was based on
    file text,                   -- upload: path, name, size, sha256
    marker text,                 -- token put into a free-text field, if the user allowed it
    state text not null, id text, reason text not null default '',
    queued_by text not null, queued_at real not null,
    attempts integer not null default 0,
    sent_body text, sent_at real, baseline text,
    progress text not null default '{}',
    looks integer not null default 0, next_look real,
    for_person integer not null default 0, alone integer not null default 0,
    merged_into integer,
    answer text, pushed_at real);
create index if not exists changes_by_state on changes (shop, state, number);
create index if not exists changes_by_record on changes (shop, resource, record_id, number);
create index if not exists changes_by_id on changes (shop, resource, id);
create index if not exists changes_by_merge on changes (merged_into);
create table if not exists history (
    number integer not null, at real not null, event text not null, detail text not null);
create index if not exists history_by_number on history (number);
create table if not exists touched (
    shop text not null, resource text not null, id text not null,
    pushed_at real not null, mirrored_at real, number integer,
    primary key (shop, resource, id));
""",
    # Whose queue it is, whose service each change is for (identity.py, binding.py).
    """
alter table changes add column service integer;     -- in services; null: from before this step
alter table changes add column doubted_since real;  -- another copy may have sent it since then
alter table changes add column is_copied integer not null default 0;  -- 1: this is an older copy
create table services (
    id integer primary key,
    shop text not null,
    address text not null,       -- as people may see it: without a user, a password, a query
    address_hash text not null,
    key_hash text not null,      -- slow, salted with identity.queue
    last_at real,                -- the service's time when the queue was last used
    skew real,                   -- seconds the service was ahead of our clock then,
    boot text, shift real);      -- under this boot, in which our clock was so far from its ticks
create unique index services_by_hash on services (shop, address_hash, key_hash);
create table identity (
    one integer primary key check (one = 1),
    queue text not null,         -- drawn when the file was made
    machine text not null, path text not null,
    boot text not null, ticks real not null,      -- when it was last used
    era real not null,           -- what makes of this boot's ticks a time that never goes back
    mark text not null,          -- what is known of the file outbox.watermark
    pushing integer not null default 0);          -- 1 from the beginning of a push to its end
""",
    # The words of the code.
    """
alter table changes rename column looks to lookups;
alter table changes rename column next_look to next_lookup;
alter table identity rename column mark to watermark;
update history set event = 'looked up' where event = 'looked';
""",
)
