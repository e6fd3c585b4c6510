"""A list endpoint in memory, for thousands of scans: no HTTP, no ledger."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta

from sources.repair_shop.ledger import Page
from sources.repair_shop.scan.outcome import PAGE_ROWS

START = date(2024, 1, 1)


@dataclass
class FakeList:
    """Rows in created order; ``change`` changes them between requests."""

    rows: list[tuple[str, date]]
    change: Callable[[int, "FakeList"], None] | None = None
    requests: list[tuple[int, str | None]] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    answers: dict[str, Page] = field(default_factory=dict)
    chance: random.Random = field(default_factory=lambda: random.Random(7))

    @property
    def pages(self) -> int:
        """How many pages its rows fill now."""
        return -(-len(self.rows) // PAGE_ROWS)

    def page(self, number: int, order: str | None) -> Page:
        """What it shows."""
        return self.cut(self.rows if order == "oldest" else self.rows[::-1], number)

    def cut(self, ordered: list[tuple[str, date]], number: int) -> Page:
        """A page of rows in their order."""
        part = ordered[(number - 1) * PAGE_ROWS : number * PAGE_ROWS]
        ids, days = tuple(row[0] for row in part), tuple(row[1] for row in part)
        return Page(ids, days, tuple(one not in self.known for one in ids))

    def ask(self, key: str, number: int, order: str | None) -> Page:
        """See ``PageSource``."""
        if key in self.answers:
            return self.answers[key]
        self.requests.append((number, order))
        page = self.answers[key] = self.page(number, order)
        if self.change:
            self.change(len(self.requests), self)
        return page

    def ask_by_offset(self, key: str, number: int, order: str | None) -> Page | None:
        """See ``PageSource``."""
        return self.ask(key, number, order)


def rows(count: int, per_day: int = 7) -> list[tuple[str, date]]:
    """``r0``, ``r1`` and so on, so many a day."""
    return [(f"r{n}", START + timedelta(days=n // per_day)) for n in range(count)]


class Unstable(FakeList):
    """Rows of one day come in another order with each answer."""

    def page(self, number: int, order: str | None) -> Page:
        sign = 1 if order == "oldest" else -1
        mixed = sorted(self.rows, key=lambda row: (sign * row[1].toordinal(), self.chance.random()))
        return self.cut(mixed, number)


class Lacking(Unstable):
    """As that one, and a row in fifty is left out after the pages were cut."""

    def cut(self, ordered: list[tuple[str, date]], number: int) -> Page:
        page = super().cut(ordered, number)
        kept = [n for n, row in enumerate(page.ids) if not self.is_left_out(row)]
        parts = (page.ids, page.days, page.changed)
        return Page(*(tuple(part[n] for n in kept) for part in parts))

    @staticmethod
    def is_left_out(row: str) -> bool:
        """Whether no page shows a row."""
        return int(row[1:]) % 50 == 7


class Newest(FakeList):
    """This service lists the newest first, whatever is asked."""

    def page(self, number: int, order: str | None) -> Page:
        return super().page(number, "newest")


class Repeats(FakeList):
    """Past its end this service repeats the last page."""

    def page(self, number: int, order: str | None) -> Page:
        return super().page(min(number, max(1, self.pages)), order)


class RepeatsMixed(Repeats):
    """Past its end this service repeats the last page, in another order with each answer."""

    def page(self, number: int, order: str | None) -> Page:
        page = super().page(number, order)
        if number < self.pages:
            return page
        mixed = self.chance.sample(range(page.size), page.size)
        parts = (page.ids, page.days, page.changed)
        return Page(*(tuple(part[i] for i in mixed) for part in parts))


class NewForEver(FakeList):
    """Past its end this service makes rows up."""

    def page(self, number: int, order: str | None) -> Page:
        if number <= self.pages:
            return super().page(number, order)
        made_up = tuple(f"x{number}-{order}-{n}" for n in range(PAGE_ROWS))
        return Page(made_up, (START,) * PAGE_ROWS, (True,) * PAGE_ROWS)


class AlwaysEdited(RepeatsMixed):
    """As the one that repeats mixed, and each row is another with each answer."""

    def page(self, number: int, order: str | None) -> Page:
        page = super().page(number, order)
        return Page(page.ids, page.days, (True,) * page.size)


class OnePageOnly(FakeList):
    """Field notes: page 2 comes back empty although page 1 is full."""

    def page(self, number: int, order: str | None) -> Page:
        return super().page(number, order) if number == 1 else Page((), (), ())


class OffsetsOnly(OnePageOnly):
    """As that one, and offsets work."""

    def ask_by_offset(self, key: str, number: int, order: str | None) -> Page | None:
        return FakeList.page(self, number, order)


class IgnoresPage(FakeList):
    """Every page is the first one."""

    def page(self, number: int, order: str | None) -> Page:
        return super().page(1, order)


class LastPageOnly(OffsetsOnly):
    """Every page above the first is the last one; offsets work."""

    def page(self, number: int, order: str | None) -> Page:
        return FakeList.page(self, number if number == 1 else self.pages, order)
