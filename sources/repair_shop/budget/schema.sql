-- The rate budget (budget.sqlite). Of files with the first three layouts only keys that worked are
-- kept. Times are seconds of the budget's own clock.

create table if not exists keys (key text, base text, minute real, pace text);
create table if not exists era (boot text not null, shift real not null, seen real not null);
alter table keys rename to old;
drop table if exists bases;
drop table if exists blocks;
drop table if exists clocks;
drop table if exists slots;
drop table if exists waiting;
create table keys (
    key text primary key, address text not null, shop text not null, minute real not null,
    answered_at real not null, silent_until real not null, why text not null,
    strikes integer not null, strike_at real not null, pace integer, rise integer not null,
    rests integer not null, good text not null, wordings text not null, denied text not null);
insert into keys
    select key, base, '', minute, case when json_extract(pace, '$.worked') then 1 else 0 end,
        era.seen + 1.003 * minute, 'limit', 0, 0, null, 60, 0, '', '[]', '[]' from old, era;
drop table old;
create table addresses (
    address text primary key, silent_until real not null, shut_at real not null,
    in_doubt integer not null, refusals integer not null, skew real);
-- Requests that a window of the service may still count; free_at is null until the answer came.
create table slots (
    id integer primary key, key text not null, address text not null, lane text not null,
    minute real not null, taken real not null, free_at real, pid integer not null,
    born text not null);
create index slots_of_key on slots (key, free_at, lane);
create index slots_unanswered on slots (address, key) where free_at is null;
-- When somebody was last seen to wait for a slot, by lane.
create table waiting (key text, lane text, seen real not null, primary key (key, lane));
