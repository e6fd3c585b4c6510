"""Rows that left a list are found the next night by counting its places, and no other row.

The scan's own code against lists in memory that staff changed by day, and sometimes change while
they are read; no HTTP, no database. EXAMPLES=5000 draws as many nights.
"""

import math
import random
from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.repair_shop.ledger import Page
from sources.repair_shop.scan.count import Count
from sources.repair_shop.scan.cuts import goes_back
from sources.repair_shop.scan.night import find_gone, read_new
from sources.repair_shop.scan.outcome import PAGE_ROWS, Bounded, Outcome
from tests.fakes.lists import START, FakeList, Newest, Repeats, Unstable, rows
from tests.simulations.examples import few

pytestmark = pytest.mark.core


@dataclass
class Mirror:
    """A list and what is held of it: both what a scan reads, and what is known."""

    listed: FakeList
    held: dict[str, date]

    def ask(self, _key: str, number: int, order: str | None) -> Page:
        page = self.listed.ask(str(len(self.listed.requests)), number, order)
        shown = dict(zip(page.ids, page.days, strict=True))
        changed = tuple(self.held.get(row) != day for row, day in shown.items())
        self.held |= shown
        return Page(page.ids, page.days, changed)

    def ask_by_offset(self, *_asked: object) -> None:
        return None

    def days(self) -> list[tuple[date | None, int]]:
        return sorted(Counter(self.held.values()).items())

    def ids(self, first: date, end: date) -> set[str]:
        return {row for row, day in self.held.items() if first <= day < end}

    def exists(self, row: str) -> bool:
        """Looks a row up by its own path."""
        self.listed.requests.append((0, None))
        there = {one: day for one, day in self.listed.rows if one == row}
        self.held |= there
        return bool(there)

    def count(self, *, is_by_day: bool = True) -> Count:
        bounded = Bounded(self, Outcome(), 2 * -(-len(self.held) // PAGE_ROWS))
        return Count(bounded, self, size=PAGE_ROWS, is_by_day=is_by_day)


ORDERS: dict[str, type[FakeList]] = {
    "by date": FakeList,
    "by date, the last page again past the end": Repeats,
    "by date, rows of a day in another order each time": Unstable,
    "by date, within hours": FakeList,
    "as they were made": FakeList,
    "the newest first, whatever is asked": Newest,
}


FULL = st.builds(lambda pages, beside: 50 * pages + beside, st.integers(2, 30), st.integers(-5, 2))
"""Lengths of a list whose last page is full, or nearly, or just begun."""
PLAIN = ("by date", "by date, the last page again past the end")


def in_order(made: dict[str, float], order: str) -> list[tuple[str, date]]:
    """Rows and their days as such a service sorts them; ``made``: days since the beginning."""
    hours = 4 / 24 if order.endswith("hours") else 0.0
    names = list(made)
    if order != "as they were made":
        names.sort(key=lambda row: (made[row] + hours * (int(row[1:]) * 7919 % 997 / 997), row))
    return [(row, START + timedelta(days=int(made[row]))) for row in names]


@few(60)
@given(
    order=st.sampled_from(sorted(ORDERS)),
    count=st.one_of(st.integers(60, 1500), FULL),
    per_day=st.sampled_from((8, 8, 90)),
    moved_in=st.sampled_from((0, 0, 0, 400)),
    has_paths=st.booleans(),
    left=st.sampled_from((0, 0, 1, 2, 3, 5, 12, 60)),
    came=st.integers(0, 9),
    old=st.sampled_from((0, 0, 0, 1)),
    edited=st.sampled_from((0, 0, 1, 2)),
    is_busy=st.sampled_from((False, False, False, True)),
    audited=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_each_row_that_left_is_found_the_next_night_and_no_other(
    order, count, per_day, moved_in, has_paths, left, came, old, edited, is_busy, audited, seed
):
    chance = random.Random(seed)
    ats = [chance.random() * 0.8 for _ in range(moved_in)]
    ats += sorted(chance.uniform(1, 1 + count / per_day) for _ in range(count))
    made = {f"r{n}": at for n, at in enumerate(ats)}
    today = 2.0 + int(count / per_day)
    if order == "as they were made":
        made |= {row: chance.uniform(0, at) for row, at in made.items() if chance.random() < 0.05}
    before = dict(in_order(made, order))
    gone = set(chance.sample(sorted(made), min(left, len(made) // 6)))
    made = {row: at for row, at in made.items() if row not in gone}
    new = {f"r{len(ats) + n}": today + chance.random() * 0.9 for n in range(came)}
    made |= new | {f"r{len(ats) + came + n}": chance.uniform(0, today) for n in range(old)}
    for row in chance.sample(sorted(before.keys() - gone), edited if has_paths else 0):
        made[row] = chance.uniform(0, today)

    def change(_request: int, of: FakeList) -> None:
        if is_busy and chance.random() < 0.1:
            of.rows.pop(chance.randrange(len(of.rows)))
            of.rows.append((f"r{chance.randrange(10**6, 10**7)}", START + timedelta(int(today))))

    listed = ORDERS[order](in_order(made, order), change, chance=chance)
    mirror, known = Mirror(listed, dict(before)), frozenset(before)
    count_ = mirror.count(is_by_day=has_paths or not goes_back([*before.values()]))
    out = read_new(mirror, count_, lambda: known, START + timedelta(int(today)))
    assert is_busy or not out.proven or gone or new.keys() <= mirror.held.keys()
    if not (out.proven and out.ids and count_.live > PAGE_ROWS):
        return
    out.whole = False
    if audited and count_.live > 2 * PAGE_ROWS:
        count_.peek(chance.randint(1, max(1, count_.find_end(count_.last) - 1)))
    found = find_gone(count_, mirror.exists if has_paths else None)
    living = {row for row, _ in listed.rows}
    assert found.reason or not found.gone & living
    assert not (found.reason and has_paths and order in PLAIN and not is_busy)
    if not (is_busy or old or found.reason):
        assert found.gone == gone
    is_quiet = not (gone or is_busy or old or edited)
    assert not is_quiet or order.startswith("the newest") or len(listed.requests) <= 12


def known(count: int = 700) -> Mirror:
    """A list that is known whole, of eight rows a day."""
    listed = rows(count, per_day=8)
    return Mirror(FakeList([*listed]), dict(listed))


def test_a_row_that_the_list_leaves_out_is_told_from_one_that_is_gone():
    mirror = known()
    mirror.listed.rows = [row for row in mirror.listed.rows if row[0] not in ("r77", "r500")]
    found = find_gone(mirror.count(), lambda row: row == "r77")
    assert (found.gone, found.unlisted) == ({"r500"}, {"r77"})


@pytest.mark.parametrize("is_edited", [True, False])
def test_a_row_that_came_hides_one_that_went_only_from_the_last_page(is_edited):
    """Where it is the same one, at a new place, its own path tells."""
    mirror, day = known(), START + timedelta(days=71)
    mirror.listed.rows.remove(("r60", mirror.held["r60"]))
    mirror.listed.rows.insert(571, ("r60" if is_edited else "new", day))
    assert not mirror.count().run().gone
    count = mirror.count()
    count.peek(6)
    found = find_gone(count, mirror.exists)
    assert (found.gone, found.unlisted, found.reason) == (
        {"r60"} - {is_edited and "r60"},
        set(),
        "",
    )
    assert mirror.held["r60" if is_edited else "new"] == day


def test_one_deletion_costs_the_logarithm_of_the_pages():
    mirror = known(40_000)
    del mirror.listed.rows[12_345]
    assert find_gone(mirror.count(), lambda row: row != "r12345").gone == {"r12345"}
    assert len(mirror.listed.requests) <= 1 + math.log2(800) + 2


def test_rows_without_a_date_are_left_to_reading_the_whole_list():
    class Undated(Mirror):
        def days(self) -> list[tuple[date | None, int]]:
            return [(None, 1), *super().days()]

    listed = rows(120)
    assert Undated(FakeList(listed), dict(listed)).count().run().reason


@pytest.mark.parametrize("seed", range(40))
def test_a_row_that_slipped_past_a_count_is_none_that_its_list_leaves_out(seed):
    """It would make up for one that is gone, night after night."""
    chance = random.Random(seed)
    listed = chance.sample(rows(260), 260)  # in an order that is not by date
    step = chance.randint(1, 6)

    def delete(at: int, of: FakeList) -> None:
        if at == step:
            of.rows.remove(chance.choice(of.rows))

    fake = FakeList([row for row in listed if row != listed[100]], delete)
    mirror = Mirror(fake, dict(listed))
    found = find_gone(mirror.count(), lambda row: row in dict(fake.rows))
    assert not found.unlisted or found.reason


def test_a_row_that_stands_a_page_beside_its_day_is_none_that_its_list_leaves_out():
    """It would make up for one that is gone."""
    listed = rows(104, per_day=2)
    held = dict(listed)
    gone, moved = listed.pop(10), listed.pop()
    listed.insert(90, moved)
    mirror = Mirror(FakeList(listed), held)
    found = find_gone(mirror.count(), mirror.exists)
    assert (found.gone, found.unlisted, found.reason) == ({gone[0]}, frozenset(), "")
