"""Nights of a list in memory: each row that left it is found the next night, and no other.

The scan's own code against a list that staff change by day, and sometimes while it is read; no
HTTP, no database. ``test_nights.py`` lives it, ``make campaigns`` many times.
"""

import math
import random
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta

from sources.repair_shop.ledger import Page
from sources.repair_shop.scan import (
    PAGE_ROWS,
    Outcome,
    PagingBroken,
    read_list,
    read_window,
)
from sources.repair_shop.scan.count import Count, Found
from sources.repair_shop.scan.cuts import goes_back
from sources.repair_shop.scan.night import find_gone, read_new
from sources.repair_shop.scan.outcome import Bounded, NeverEnds

_FEW = 55
"""Lists of a page are read whole each night anyway."""
BEGIN = date(2021, 1, 1)


@dataclass(frozen=True)
class Dialect:
    """How a service pages and sorts a list, and what can be asked of it."""

    name: str
    order: str = "strict"
    """``ties``: rows of a day in another order each time; ``loose``: mixed within hours; ``newest``
    first, whatever is asked; ``entered``: as they were made, whatever day they bear."""
    past_the_end: str = "empty"  # empty, repeat
    detail: bool = True
    per_day: float = 8.0
    dense: int = 0  # rows of one day of moving in
    busy: float = 0.0  # changes while it is read, per request
    halves: bool = False


@dataclass
class Row:
    """A row at the service. ``at``: days since the beginning; ``half``: of a list read in two."""

    id: str
    at: float
    entered: float = 0.0
    version: int = 0
    half: bool = False


@dataclass
class Shop:
    """The list at the service."""

    dialect: Dialect
    chance: random.Random
    rows: dict[str, Row] = field(default_factory=dict)
    today: float = 0.0
    made: int = 0
    asked: int = 0
    changed: bool = True
    moved: set[str] = field(default_factory=set)
    announced: set[str] = field(default_factory=set)
    _sorted: list[Row] = field(default_factory=list)

    def add(self, at: float) -> Row:
        """A new row."""
        self.made += 1
        row = Row(f"r{self.made}", at, max(at, self.today), half=self.chance.random() < 0.1)
        self.rows[row.id] = row
        self.changed = True
        return row

    def ordered(self) -> list[Row]:
        """Oldest first, as this service sorts."""
        if self.changed:
            shift = 4 / 24 if self.dialect.order == "loose" else 0.0
            self._sorted = sorted(
                self.rows.values(),
                key=lambda row: (row.at + shift * (hash_of(row.id) % 997 / 997), row.id),
            )
            if self.dialect.order == "entered":
                self._sorted.sort(key=lambda row: row.entered)
            self.changed = False
        if self.dialect.order == "ties":
            mix = {row.id: self.chance.random() for row in self._sorted}
            return sorted(self._sorted, key=lambda row: (int(row.at), mix[row.id]))
        return self._sorted

    def page(self, number: int, order: str | None, half: bool | None) -> list[Row]:
        """One answer."""
        self.asked += 1
        found = [row for row in self.ordered() if half in (None, row.half)]
        pages = max(1, math.ceil(len(found) / PAGE_ROWS))
        if number > pages and self.dialect.past_the_end == "repeat":
            number = pages
        if order != "oldest" or self.dialect.order == "newest":
            found = found[::-1]
        return found[(number - 1) * PAGE_ROWS : number * PAGE_ROWS]

    def business(self, count: int, *, quiet: bool = False) -> None:
        """Changes of staff; with ``quiet`` only new rows."""
        for _ in range(count):
            kind = self.chance.random()
            if quiet or kind < 0.5 or not self.rows:
                self.add(self.today + self.chance.random() * 0.9)
                continue
            row = self.chance.choice(list(self.rows.values()))
            if kind < 0.75:
                if len(self.rows) > _FEW:
                    del self.rows[row.id]
            elif kind < 0.82:
                self.add(self.chance.uniform(0, self.today))
            elif kind < 0.88:
                # A list without paths has no PUT: the specification lets nobody edit its dates.
                if self.dialect.detail:
                    row.at = self.chance.uniform(0, self.today)
                    self.moved.add(row.id)
            elif kind < 0.95:
                row.version += 1
            else:
                row.half = not row.half
                self.announced.add(row.id)
            self.changed = True


def hash_of(text: str) -> int:
    """The same in each process."""
    return int(text[1:]) * 7919


def day_of(row: Row) -> date:
    """The row's day."""
    return BEGIN + timedelta(days=int(row.at))


@dataclass
class Mirror:
    """What is known of the list, as the ledger knows it."""

    shop: Shop
    held: dict[str, tuple[date, int, bool]] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    is_by_day: bool = True
    missed: set[str] = field(default_factory=set)
    """Rows that no page showed when the list was read whole last."""

    def take(self, rows: list[Row]) -> Page:
        """Keep an answer."""
        fresh = []
        for row in rows:
            now = (day_of(row), row.version, row.half)
            fresh.append(self.held.get(row.id) != now or row.id in self.gone)
            self.held[row.id] = now
            self.gone.discard(row.id)
        return Page(tuple(row.id for row in rows), tuple(day_of(row) for row in rows), tuple(fresh))

    def live(self, half: bool | None) -> dict[str, tuple[date, int, bool]]:
        """Rows believed to exist."""
        return {
            row: held
            for row, held in self.held.items()
            if row not in self.gone and half in (None, held[2])
        }


@dataclass
class Reading:
    """A scan's reader, and what is known of the same part of the list."""

    mirror: Mirror
    half: bool | None = None

    def ask(self, key: str, number: int, order: str | None) -> Page:
        """See ``PageSource``."""
        shop = self.mirror.shop
        if shop.chance.random() < shop.dialect.busy:
            shop.business(1)
        return self.mirror.take(shop.page(number, order, self.half))

    def ask_by_offset(self, key: str, number: int, order: str | None) -> Page | None:
        """See ``PageSource``."""
        return None

    def days(self) -> list[tuple[date | None, int]]:
        """See ``Known``."""
        count = Counter(held[0] for held in self.mirror.live(self.half).values())
        return [(day, number) for day, number in sorted(count.items())]

    def ids(self, first: date, end: date) -> set[str]:
        """See ``Known``."""
        return {row for row, held in self.mirror.live(self.half).items() if first <= held[0] < end}

    def count(self) -> Count:
        """A count of this part."""
        pages = -(-len(self.mirror.live(self.half)) // PAGE_ROWS)
        return Count(
            Bounded(self, Outcome(), 2 * pages),
            self,
            size=PAGE_ROWS,
            is_by_day=self.mirror.is_by_day,
        )


def read_whole(reading: Reading) -> Outcome:
    """The whole list, as it comes where it does not sort."""
    try:
        return read_list(reading)
    except PagingBroken:
        return read_window(reading, expected=-(-len(reading.mirror.held) // PAGE_ROWS))


def night(mirror: Mirror, since: date) -> list[tuple[Outcome, Found | None]]:
    """One night of the mirror."""
    shop = mirror.shop

    def exists(row: str) -> bool:
        shop.asked += 1
        if row in shop.rows:
            mirror.take([shop.rows[row]])
        return row in shop.rows

    # A change of status is an edit, and the lists read in two announce edits.
    mirror.take([shop.rows[row] for row in shop.announced if row in shop.rows])
    shop.announced.clear()
    results = []
    for half in (False, True) if shop.dialect.halves else (None,):
        reading = Reading(mirror, half=half)
        count, found = reading.count(), None
        known = frozenset(mirror.live(half))
        out = read_new(reading, count, lambda known=known: known, since)
        if out.proven and out.ids and count.live > PAGE_ROWS:
            out.whole = False
            if count.live > 2 * PAGE_ROWS:
                with suppress(NeverEnds):
                    last = count.find_end(count.last)
                    count.peek(shop.chance.randint(1, max(1, last - 1)))
            found = find_gone(count, exists if shop.dialect.detail else None)
        mirror.is_by_day = count.is_by_day or shop.dialect.detail
        gone: set[str] = set(found.gone) if found else set()
        if out.whole or (found and found.read_whole):
            whole = out if out.whole else read_whole(reading)
            gone = set(mirror.live(half)) - whole.ids if whole.proven else set()
            if shop.dialect.detail:
                gone = {row for row in gone if not exists(row)}
            else:
                missed = mirror.missed | (found.gone if found else set())
                gone, mirror.missed = gone & missed, gone
        mirror.gone |= gone
        results.append((out, found))
    return results


DIALECTS = (
    Dialect("plain"),
    Dialect("repeats", past_the_end="repeat"),
    Dialect("no paths", detail=False),
    Dialect("ties", order="ties"),
    Dialect("ties, no paths", order="ties", detail=False),
    Dialect("loose", order="loose"),
    Dialect("loose, no paths", order="loose", detail=False),
    Dialect("as entered", order="entered"),
    Dialect("as entered, no paths", order="entered", detail=False),
    Dialect("newest first, whatever is asked", order="newest"),
    Dialect("a busy shop", per_day=90),
    Dialect("moved in", dense=700),
    Dialect("moved in, no paths", dense=400, detail=False),
    Dialect("in two halves", halves=True),
    Dialect("changed while read", busy=0.1),
    Dialect("changed while read, no paths", busy=0.1, detail=False),
)


@dataclass
class Tally:
    """What so many nights came to.

    ``late``: rows that left and were not marked the next night, though nothing came in their list
    that day that stands before others, nor while it was read. ``wrong``: rows marked that exist.
    ``lost``: rows that came on the day and are not known after the night. ``unsure``: nights that
    could not tell. ``quiet``: requests of each night in which nothing left.
    """

    gone: int = 0
    late: int = 0
    wrong: int = 0
    lost: int = 0
    unsure: int = 0
    quiet: list[int] = field(default_factory=list)


@dataclass
class Life:
    """A shop and its mirror over some nights."""

    dialect: Dialect
    chance: random.Random
    tally: Tally
    most: int
    waiting: set[str] = field(default_factory=set)
    """Rows that left and were missed."""

    def __post_init__(self) -> None:
        self.shop = Shop(self.dialect, self.chance)
        count = round(math.exp(self.chance.uniform(math.log(60), math.log(self.most))))
        for _ in range(self.dialect.dense):
            self.shop.add(self.chance.random() * 0.8)
        for _ in range(count):
            self.shop.add(self.chance.uniform(1, 1 + count / self.dialect.per_day))
        self.shop.today = 2.0 + int(count / self.dialect.per_day)
        self.mirror = Mirror(self.shop)
        rows = self.shop.ordered()
        self.mirror.take(rows)
        self.mirror.is_by_day = self.dialect.detail or not goes_back(list(map(day_of, rows)))

    def day(self) -> None:
        """What staff do in a day: nothing but new rows, a bit of everything, or much deleted."""
        shop, chance, kind = self.shop, self.chance, self.chance.random()
        shop.today += 1.0
        shop.moved.clear()
        if kind < 0.9:
            shop.business(chance.randrange(12), quiet=kind < 0.3)
            return
        most = min(len(shop.rows) // 6, chance.randrange(60))
        for row in chance.sample(sorted(shop.rows), most):
            del shop.rows[row]
        shop.changed = True

    def next_night(self) -> None:
        """A day and a night, and what the night missed."""
        shop, mirror, tally = self.shop, self.mirror, self.tally
        before, since = set(mirror.live(None)), BEGIN + timedelta(days=int(shop.today))
        self.day()
        left = before - shop.rows.keys()
        came = [row for row in shop.rows.values() if row.id not in before]
        hides = self.dialect.busy or any(row.at < shop.today - 1 for row in came)
        shop.asked = 0
        results = night(mirror, since)
        tally.gone += len(left - self.waiting)
        tally.unsure += any(found is not None and bool(found.reason) for _, found in results)
        tally.wrong += len(mirror.gone & shop.rows.keys())
        # A row that left on the same day hides one that days in another order each time left out.
        if not self.dialect.busy and not (left and self.dialect.order == "ties"):
            tally.lost += sum(row.at >= shop.today and row.id not in mirror.held for row in came)
        missed = left - mirror.gone
        tally.late += 0 if hides else len(missed - self.waiting)
        self.waiting = missed
        if not left and not hides and not shop.moved:
            tally.quiet.append(shop.asked)


def simulate(dialect: Dialect, seed: str, *, most: int) -> Tally:
    """Ten nights of a shop of a random size, of ``most`` rows at most."""
    tally = Tally()
    life = Life(dialect, random.Random(seed), tally, most)
    for _ in range(10):
        life.next_night()
    return tally
