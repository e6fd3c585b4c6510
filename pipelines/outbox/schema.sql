-- The queue, $SHOPMIRROR_HOME/outbox.sqlite. States: change.py. Statements on it: queries.sql.

create table changes (
    number integer primary key autoincrement,
    version integer not null default 0,     -- one more with every move; a move names the one it read
    shop text not null,
    resource text not null,
    op text not null check (op in ('create', 'update', 'delete', 'upload')),
    record_id text,                         -- of an update, delete or upload; '@12' until known
    body text not null check (json_valid(body)),    -- references as {"$queued": 12}
    basis text not null default '{}' check (json_valid(basis)), -- what its author saw
    file text check (file is null or json_valid(file)),         -- path, name, size, sha256
    marker text,                            -- token in a free-text field
    key text,                               -- the caller's own: unique for ever
    state text not null default 'queued'
        check (state in ('queued', 'sending', 'done', 'in_doubt', 'rejected', 'conflict')),
    reason text not null default '',
    queued_by text not null,
    queued_at real not null,
    queued_there real,                      -- the same by the service's clock; null: nobody knows
    stamp text not null default '',         -- the stamp and boot it was queued under (origin.py)
    service integer references services,
    attempts integer not null default 0,
    sent_body text check (sent_body is null or json_valid(sent_body)),
    sent_at real,                           -- by the service's clock, as look_at
    fence text check (fence is null or json_valid(fence)),      -- kept for good (evidence.py)
    said text not null default '' check (said in ('', 'done', 'no')),
    answered text,
    looks integer not null default 0,
    look_at real,
    needs_person integer not null default 0 check (needs_person in (0, 1)),
    approved_by text,
    id text,
    answer text,
    pushed_at real,
    check (state <> 'done' or pushed_at is not null),
    check (state <> 'in_doubt' or fence is not null)
);
create index changes_by_state on changes (shop, state, number);
create index changes_by_record on changes (shop, resource, record_id, number);
create index changes_by_id on changes (shop, resource, id);
create unique index changes_by_key on changes (shop, resource, op, key) where key is not null;

create trigger changes_follow before update of state on changes
when old.state <> new.state and old.state || ' ' || new.state not in (
    'queued sending', 'queued rejected', 'queued conflict', 'queued in_doubt',
    'sending done', 'sending rejected', 'sending in_doubt', 'sending queued',
    'in_doubt sending', 'in_doubt done', 'in_doubt rejected', 'in_doubt conflict',
    'conflict queued', 'conflict in_doubt', 'conflict rejected',
    'rejected queued', 'rejected in_doubt')
begin
    select raise(abort, 'no change goes from this state to that');
end;

-- Every attempt, look and decision; a wait is none.
create table history (
    number integer not null, at real not null, event text not null, detail text not null);
create index history_by_number on history (number);

-- Records that a push wrote, until a sync read them back.
create table written (
    shop text not null, resource text not null, id text not null,
    number integer not null,
    pushed_at real not null,
    mirrored_at real,
    shown text,                             -- null: not compared yet; '': as written; else what differs
    primary key (shop, resource, id));

create table services (
    id integer primary key,
    shop text not null,
    address text not null,                  -- as people may see it: without a user and a password
    address_hash text not null,
    key_hash text not null,                 -- slow, salted with identity.queue
    last_at real,                           -- the service's time when it was last pushed to
    ahead real,                             -- seconds it was ahead of our clock then
    ticks real, boot text,                  -- the machine's own seconds then, since that boot
    unique (shop, address_hash, key_hash));

create table identity (
    one integer primary key check (one = 1),
    queue text not null,                    -- drawn when the file was made
    machine text not null, place text not null, boot text not null,
    token text not null,                    -- of the stamp that the last intent wrote
    seal text not null);                    -- what the file system says of that stamp

-- Shops whose waiting changes another copy of this queue, or a crash, may have sent. A restored file: the next
-- push of the shop puts them in doubt. A foreign one: it sends nothing until somebody adopts it.
create table unsettled (
    shop text primary key,
    kind text not null check (kind in ('restored', 'foreign')),
    why text not null,
    stamp text not null,                    -- what was queued under this one is surely not sent
    number integer);                        -- of the one change that it is about; null: of all
