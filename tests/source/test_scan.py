"""Scans over a list that changes while it is read: nothing is missed, or the scan says so."""

import math
import random
from contextlib import suppress
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.repair_shop.extract import JobResult
from sources.repair_shop.ledger import Page
from sources.repair_shop.scan.jobs import Job
from sources.repair_shop.scan.outcome import PAGE_ROWS, PagingBroken
from sources.repair_shop.scan.proven import read_list
from sources.repair_shop.scan.upwards import read_head, read_window
from sources.repair_shop.schema.endpoints import ENDPOINTS
from tests.fakes.lists import (
    START,
    FakeList,
    IgnoresPage,
    Lacking,
    LastPageOnly,
    OffsetsOnly,
    OnePageOnly,
    Repeats,
    Unstable,
    rows,
)
from tests.simulations.examples import few

pytestmark = pytest.mark.core


@pytest.mark.parametrize("count", [0, 1, 49, 50, 51, 99, 100, 101, 149, 150, 151, 500, 1234, 5000])
def test_a_quiet_list_is_read_whole(count):
    fake = FakeList(rows(count))
    out = read_list(fake)
    assert out.proven and out.whole
    assert out.ids == {row[0] for row in fake.rows}


@pytest.mark.parametrize("count", [0, 1, 49, 51, 99, 101, 149])
def test_a_short_list_costs_its_pages_and_one(count):
    fake = FakeList(rows(count))
    read_list(fake)
    # Of few rows between two pages an offset tells whether page numbers work: one more is asked.
    barely = count > PAGE_ROWS and count % PAGE_ROWS > PAGE_ROWS - 5
    assert len(fake.requests) <= math.ceil(count / PAGE_ROWS) + 1 + barely


@given(count=st.integers(150, 6000), growth=st.floats(0.2, 20))
@few(25)
def test_a_long_list_costs_its_pages_and_a_handful(count, growth):
    """Finding the end costs a few requests however unevenly the rows lie over the years."""
    listed = []
    day, carry = START, 0.0
    while len(listed) < count:
        carry += growth * (1 + len(listed) / 1000)
        while carry >= 1 and len(listed) < count:
            listed.append((f"r{len(listed)}", day))
            carry -= 1
        day += timedelta(days=1)
    fake = FakeList(listed)
    out = read_list(fake)
    assert out.ids == {row[0] for row in listed}
    assert len(fake.requests) <= math.ceil(count / PAGE_ROWS) + 14


@pytest.mark.parametrize("count", [260, 700, 5000, 40_000])
@pytest.mark.parametrize("share", [1.0, 0.6])
def test_a_shop_that_moved_in_with_its_rows_in_a_day_costs_few_more(count, share):
    """Where most rows are of one day, days say nothing of how many pages there are."""
    moved = round(count * share)
    listed = [
        (row, START if n < moved else START + timedelta(days=1 + (n - moved) // 5))
        for n, (row, _) in enumerate(rows(count))
    ]
    fake = FakeList(listed)
    out = read_list(fake)
    assert out.proven and out.ids == {row[0] for row in listed}
    assert len(fake.requests) <= math.ceil(count / PAGE_ROWS) + 3 + 2 * math.log2(count / PAGE_ROWS)


@pytest.mark.parametrize("count", [537, 650])
@pytest.mark.parametrize("below", [1, 2, 3])
def test_a_row_inserted_near_the_end_pushes_none_past_the_scan(count, below):
    """Wherever and whenever it is inserted: pages read early are no hole for it."""
    listed = rows(count)
    known = {row for row, _ in listed}
    for step in range(1, 7):
        for at in range(count - 240 + step, count, 7):

            def insert(now, fake, step=step, at=at):
                if now == step:
                    fake.rows.insert(at, ("new", fake.rows[at][1]))

            fake = FakeList([*listed], insert)
            out = read_list(fake, hint=count // PAGE_ROWS - below)
            assert known <= out.ids or not out.proven


@pytest.mark.parametrize(("count", "more"), [(1999, 2), (2000, 3)])
def test_a_known_list_costs_its_pages_and_two_or_three(count, more):
    fake = FakeList(rows(count))
    read_list(fake, hint=40)
    assert len(fake.requests) <= 40 + more


HINTS = st.sampled_from([None, *range(2, 25)])


@given(count=st.integers(51, 900), seed=st.integers(0, 2**32), hint=HINTS)
@few(50)
def test_deletions_at_any_moment_lose_nothing(count, seed, hint):
    chance = random.Random(seed)

    def delete(_, fake):
        for _ in range(min(chance.choice([0, 0, 1, 1, 3]), len(fake.rows))):
            fake.rows.pop(chance.randrange(len(fake.rows)))

    fake = FakeList(rows(count), delete)
    out = read_list(fake, hint=hint)
    assert out.proven, out.reason
    assert {row[0] for row in fake.rows} <= out.ids


@pytest.mark.parametrize(
    ("seed", "count", "per_day"), [*((seed, 600, 80) for seed in range(8)), (23, 380, 20)]
)
def test_pages_that_lack_rows_in_an_order_that_changes_prove_nothing(seed, count, per_day):
    fake = Lacking(rows(count, per_day=per_day), chance=random.Random(seed))
    with suppress(PagingBroken):
        out = read_list(fake)
        shown = {row for row, _ in fake.rows if not fake.is_left_out(row)}
        assert not out.proven or shown <= out.ids


@given(
    count=st.integers(600, 1200),
    old_dates=st.booleans(),
    when=st.sets(st.integers(1, 25), max_size=3),
    seed=st.integers(0, 2**32),
    hint=HINTS,
)
@few(50)
def test_insertions_at_any_moment_lose_no_row_that_was_there(count, old_dates, when, seed, hint):
    original, chance = rows(count), random.Random(seed)

    def insert(step, fake):
        if step in when:
            at = chance.randint(0, len(fake.rows)) if old_dates else len(fake.rows)
            day = fake.rows[min(at, len(fake.rows) - 1)][1]
            fake.rows.insert(at, (f"new{step}", day))

    fake = FakeList(original[:], insert)
    out = read_list(fake, hint=hint)
    if out.proven:
        assert {row[0] for row in original} <= out.ids


@given(
    count=st.integers(51, 600),
    per_day=st.sampled_from([1, 2, 3, 5, 10]),
    seed=st.integers(0, 2**32),
    hint=st.sampled_from([None, 1, 2, 5, 9]),
)
@few(40)
def test_days_in_another_order_each_time_are_read_whole_or_not_proven(count, per_day, seed, hint):
    fake = Unstable(rows(count, per_day), chance=random.Random(seed))
    with suppress(PagingBroken):
        out = read_list(fake, hint=hint)
        assert not out.proven or out.ids == {row[0] for row in fake.rows}


def test_an_unsorted_order_is_not_proven():
    chance = random.Random(5)
    fake = FakeList(rows(400), lambda step, fake: chance.shuffle(fake.rows))
    with suppress(PagingBroken):
        out = read_list(fake)
        assert not out.proven or {row[0] for row in fake.rows} <= out.ids


def test_a_loosely_sorted_list_is_read_whole():
    listed = rows(730)
    for at in range(3, 720, 11):
        listed[at], listed[at + 2] = listed[at + 2], listed[at]

    class Loose(FakeList):
        def page(self, number: int, order: str | None) -> Page:
            if order == "newest":
                ordered = list(reversed(listed))
                for at in range(1, len(ordered) - 3, 9):
                    ordered[at], ordered[at + 1] = ordered[at + 1], ordered[at]
                return self.cut(ordered, number)
            return super().page(number, order)

    out = read_list(Loose(listed))
    assert out.proven
    assert len(out.ids) == 730


@pytest.mark.parametrize("kind", [OnePageOnly, IgnoresPage, LastPageOnly])
@pytest.mark.parametrize("count", [101, 149, 150, 260])
def test_a_service_that_does_not_page_is_noticed(kind, count):
    with pytest.raises(PagingBroken):
        read_list(kind(rows(count)))
    if kind is not OnePageOnly:
        with pytest.raises(PagingBroken):
            read_window(kind(rows(260)))


def test_a_window_with_a_full_page_and_an_empty_one_is_looked_at_by_offset():
    with pytest.raises(PagingBroken):
        read_window(OffsetsOnly(rows(120)))
    assert read_window(OnePageOnly(rows(50))).proven


@pytest.mark.parametrize("count", [51, 60, 120, 400])
def test_a_window_in_another_order_at_each_request_is_not_proven(count):
    chance = random.Random(count)
    for _ in range(50):
        fake = FakeList(rows(count), change=lambda _, of: chance.shuffle(of.rows))
        with suppress(PagingBroken):
            out = read_window(fake)
            assert not out.proven or out.ids == {row[0] for row in fake.rows}


@pytest.mark.parametrize("count", [60, 120, 400])
def test_a_window_is_proven_though_rows_come_and_one_moves(count):
    def change(request, fake):
        if request == 2:
            fake.rows.append(fake.rows.pop(count // 3))  # edited: it stands first now
        fake.rows.append((f"new{request}", START))

    fake = FakeList(rows(count), change=change)
    out = read_window(fake)
    assert out.proven and out.ids >= {f"r{n}" for n in range(count)}


@pytest.mark.parametrize(
    ("known", "since", "requests"), [(990, START + timedelta(days=990 // 7), 1), (820, None, 7)]
)
def test_a_head_scan_reads_as_many_pages_as_are_new_and_ends_on_known_rows(known, since, requests):
    fake = FakeList(rows(1000))
    fake.known = {f"r{n}" for n in range(known)}
    out = read_head(fake, order="newest", since=since, live=known)
    assert out.proven and not out.whole
    assert {f"r{n}" for n in range(known, 1000)} <= out.ids
    assert len(fake.requests) == requests


def test_a_head_scan_reads_the_boundary_day_again_whole():
    fake = FakeList(rows(400, per_day=80))
    fake.known = {row[0] for row in fake.rows}
    boundary = fake.rows[-1][1]
    out = read_head(fake, order="newest", since=boundary, live=400)
    assert {row[0] for row in fake.rows if row[1] == boundary} <= out.ids


def test_a_new_row_behind_a_known_page_is_seen_where_the_order_is_ignored():
    fake = FakeList(rows(51))
    fake.known = {row[0] for row in fake.rows[:50]}
    out = read_head(fake, order="oldest", since=START + timedelta(days=90), live=50)
    assert out.proven and "r50" in out.ids


def test_a_scan_run_again_asks_only_what_was_never_answered():
    """Killed after any number of answers, the second run makes exactly the rest."""
    whole = FakeList(rows(600))
    read_list(whole)
    total = len(whole.requests)

    class Killed(Exception):
        pass

    for after in range(1, total):

        def kill(step, fake, after=after):
            if step == after:
                raise Killed

        fake = FakeList(rows(600), kill)
        with pytest.raises(Killed):
            read_list(fake)
        fake.change = None
        out = read_list(fake)
        assert out.proven and len(out.ids) == 600
        assert len(fake.requests) == total


@pytest.mark.parametrize("count", [1, 49, 51, 99, 101, 130, 500, 1234])
@pytest.mark.parametrize("hint", [None, 2, 9, 40])
def test_a_service_that_repeats_its_last_page_is_read_whole(count, hint):
    fake = Repeats(rows(count))
    out = read_list(fake, hint=hint)
    assert out.proven and out.ids == {row[0] for row in fake.rows}


@pytest.mark.parametrize("at", [3, 260, 510, 540])
def test_rows_inserted_while_a_repeated_last_page_is_looked_for_push_none_past_the_scan(at):
    known = {row for row, _ in rows(549)}
    for step in range(2, 16):

        def insert(now, fake, step=step):
            if now == step:
                fake.rows[at:at] = [(f"x{n}", fake.rows[at][1]) for n in range(4)]

        fake = Repeats(rows(549), insert)
        with suppress(PagingBroken):
            out = read_list(fake, hint=24)
            assert known <= out.ids or not out.proven


def test_a_short_list_that_lost_a_row_is_whole_although_its_last_page_repeats():
    fake = Repeats(rows(20))
    out = read_head(fake, order="newest", since=START, live=21)
    assert out.proven and out.whole and len(out.ids) == 20


def test_a_scan_without_an_end_is_in_doubt():
    assert JobResult(Job("main", ENDPOINTS["brands"], "full")).doubt == "not finished"
