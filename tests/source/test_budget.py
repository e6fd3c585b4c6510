"""The budget by a clock that stands still: its rule, its lanes, its memory, its state."""

import contextlib
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest

from sources.repair_shop.budget import Budget, limiter
from sources.repair_shop.errors import ConfigurationError, Refused, Stopped
from tests.fakes.neighbours import World
from tests.source.wire import take, wait, working

pytestmark = pytest.mark.core


def test_thirty_a_minute_and_not_one_more(key, clock):
    for _ in range(30):
        take(key).answered("ok")
    refused = wait(key)
    assert 60.0 < refused.seconds <= 60.2
    clock.ticks += refused.seconds - 0.01
    wait(key)
    clock.ticks += 0.02
    take(key)


def test_a_slot_is_free_a_minute_after_its_answer(rare, clock):
    slot = take(rare)
    clock.ticks += 25
    assert wait(rare).reason == "full"
    slot.answered("ok")
    clock.ticks += 59
    wait(rare)
    clock.ticks += 1.2
    take(rare)


def test_a_reserve_is_left_to_others(budget, make_shop):
    key = working(budget, make_shop(reserve=20))
    for _ in range(10):
        take(key).answered("ok")
    wait(key)
    with pytest.raises(ConfigurationError, match="reserve"):
        budget.key(make_shop(reserve=30))


def test_threads_share_one_file(budget, make_shop):
    key = working(budget, make_shop(requests_per_minute=1000))

    def ask(_: int) -> None:
        key.acquire().answered("ok")

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(ask, range(200)))
    assert key.state().used == 200


def test_keys_do_not_share(budget, make_shop):
    one = working(budget, make_shop(requests_per_minute=1))
    two = working(budget, make_shop(requests_per_minute=1, api_key="another"))
    take(one)
    wait(one)
    take(two)


def test_a_restart_remembers(key, budget, clock, make_shop):
    for _ in range(30):
        take(key).answered("ok")
    budget.close()
    again = Budget(budget.path, clock=clock, sleep=clock.sleep)
    wait(again.key(make_shop()))
    assert again.key(make_shop()).standing.worked


@pytest.mark.parametrize("jump", [-86_400.0, 86_400.0, 1e9, -1e9])
def test_setting_the_wall_clock_changes_nothing(rare, jump, clock):
    take(rare).answered("ok")
    clock.wall_offset += jump
    wait(rare)
    clock.ticks += 60.2
    take(rare)


@pytest.mark.parametrize("jump", [-86_400.0, 5.0, 86_400.0])
def test_a_boot_costs_a_minute_of_silence(key, jump, clock):
    take(key)
    clock.boot_id, clock.ticks = "second boot", 3.0
    clock.wall_offset = 1_790_001_000.0 + jump
    assert wait(key).reason == "silence"
    clock.ticks += 60.2
    for _ in range(30):
        take(key).answered("ok")
    wait(key)


def test_a_clock_that_runs_backwards_is_a_boot(key, clock):
    clock.ticks -= 500
    assert wait(key).reason == "silence"
    clock.ticks += 60.2
    take(key)


@pytest.mark.parametrize("days", [0, 30])
def test_a_block_outlasts_a_boot_and_is_no_longer_for_a_clock_set_back(key, clock, days):
    take(key).answered("block")
    clock.boot_id, clock.ticks = "second boot", 3.0
    clock.wall_offset -= days * 86_400
    with pytest.raises(Refused):
        key.try_acquire("sync")
    clock.ticks += 480 * 60 + 1
    take(key)


def test_a_request_of_a_process_that_died_is_answered_when_that_is_seen(rare, clock, monkeypatch):
    take(rare)
    clock.ticks += 1000
    assert wait(rare).reason == "full"
    monkeypatch.setattr(limiter.os, "getpid", lambda: -1)
    monkeypatch.setattr(limiter, "process_born", lambda _: None)
    assert wait(rare).seconds > 60
    clock.ticks += 59
    wait(rare)
    clock.ticks += 2
    take(rare)


def test_until_a_key_worked_one_request_goes_alone(budget, make_shop):
    key = budget.key(make_shop())
    first = take(key)
    assert wait(key).reason == "in flight"
    first.answered("other")
    second = take(key)
    wait(key)
    second.answered("ok")
    take(key)
    take(key)


class TestLanes:
    def test_a_waiting_push_goes_first(self, budget, clock, make_shop):
        key = working(budget, make_shop(requests_per_minute=4))
        for _ in range(4):
            take(key).answered("ok")
        wait(key, "push")
        wait(key, "sync")
        clock.ticks += 60.0
        wait(key, "push")
        clock.ticks += 0.2
        assert wait(key, "sync").reason == "lane"
        take(key, "push")

    def test_a_push_leaves_half_to_a_waiting_sync(self, budget, make_shop):
        key = working(budget, make_shop(requests_per_minute=4))
        with budget.transaction() as (db, now):
            db.execute("insert into waiting values (?, 'sync', ?)", (key.fingerprint, now))
        take(key, "push").answered("ok")
        take(key, "push").answered("ok")
        assert wait(key, "push").reason == "lane"
        take(key, "sync")
        take(key, "sync")

    def test_a_push_alone_may_have_it_all(self, budget, make_shop):
        key = working(budget, make_shop(requests_per_minute=4))
        for _ in range(4):
            take(key, "push").answered("ok")

    def test_of_three_unanswered_requests_none_is_more_than_the_third(self, key):
        slots = [take(key), take(key, "push"), take(key)]
        assert {wait(key).reason, wait(key, "push").reason} == {"in flight"}
        slots[1].answered("lost")
        take(key, "push")

    def test_one_who_died_waiting_is_forgotten(self, rare, clock):
        take(rare).answered("ok")
        wait(rare, "push")
        clock.ticks += 61
        take(rare, "sync")

    def test_both_go_on_for_hours(self, key, clock):
        world = World(clock, seed=1)
        world.job(key, 600, workers=4, latency=lambda: 0.5)
        start = clock.ticks
        world.at(
            start + 90, lambda: world.job(key, 200, workers=2, latency=lambda: 0.5, lane="push")
        )
        world.run(until=start + 600)
        in_both = [lane for moment, lane in world.grants if start + 160 <= moment < start + 460]
        assert 0.4 <= in_both.count("push") / len(in_both) <= 0.6
        assert not world.rate_errors


def test_waiting_can_be_stopped(rare, clock):
    take(rare).answered("ok")
    end = clock.ticks + 10
    with pytest.raises(Stopped):
        rare.acquire(stop=lambda: clock.ticks > end)
    assert clock.ticks < end + 0.5


def test_acquire_waits_as_long_as_it_takes(rare, clock):
    rare.acquire().answered("ok")
    before = clock.ticks
    rare.acquire("push").answered("ok")
    assert 60.0 < clock.ticks - before < 60.5


@pytest.mark.parametrize("latency", [0.0, 0.5, 3.0])
def test_nearly_all_that_the_rule_allows_is_used(key, latency, clock):
    world = World(clock, seed=2)
    start = clock.ticks
    world.job(key, 10_000, workers=4, latency=lambda: latency)
    world.run(until=start + 1800)
    assert not world.rate_errors
    assert world.done >= 0.98 * 30 * 1800 / (60 + latency)


def test_the_state_counts(budget, make_shop):
    key = working(budget, make_shop(reserve=5))
    take(key).answered("ok")
    take(key)
    state = key.state()
    assert (state.limit, state.used, state.in_flight, state.left) == (25, 2, 1, 23)
    assert state.refused_until is None


def test_an_outcome_counts_once(key):
    slot = take(key)
    slot.answered("ok")
    slot.answered("block")
    take(key)


def test_a_damaged_file_is_a_clear_message(tmp_path, make_shop):
    path = tmp_path / "budget.sqlite"
    path.write_bytes(b"this is no database, and long enough to be looked at" * 100)
    with pytest.raises(ConfigurationError, match="remove it and wait a minute"):
        Budget(path).key(make_shop()).try_acquire("sync")


def test_a_folder_that_cannot_be_made_is_a_clear_message(tmp_path, make_shop):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        Budget(tmp_path / "file" / "budget.sqlite").key(make_shop()).try_acquire("sync")


def test_a_file_of_the_layout_before_keeps_which_keys_worked(budget, clock, make_shop):
    fingerprint = budget.key(make_shop()).fingerprint
    with contextlib.closing(sqlite3.connect(budget.path)) as db:
        db.executescript(
            "create table era (boot text, shift real, seen real);"
            "create table keys (key text primary key, base text, minute real, pace text);"
            "create table slots (id integer primary key, key text, free_at real);"
            "pragma user_version = 3;"
        )
        db.execute("insert into era values (?, ?, ?)", ("first boot", 0.0, clock.ticks))
        pace = '{"worked": true, "strikes": 1}'
        db.execute("insert into keys values (?, 'x', 60.0, ?)", (fingerprint, pace))
        db.commit()
    key = budget.key(make_shop())
    assert key.standing.worked
    assert wait(key).reason == "silence"
    clock.ticks += 61
    take(key)
