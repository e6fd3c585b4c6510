"""A service whose list never ends is noticed, in about twice the requests that its rows take."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from sources.repair_shop.ledger import Page
from sources.repair_shop.scan import PAGE_ROWS, Outcome, PagingBroken, read_head, read_list
from sources.repair_shop.scan.upwards import read_window
from tests.scan.test_scan import START, FakeList, rows

pytestmark = pytest.mark.core

FEW = 42


@dataclass
class RepeatsMixed(FakeList):
    """Past its end this service repeats the last page, in another order with each answer."""

    chance: random.Random = field(default_factory=lambda: random.Random(7))

    def page(self, number: int, order: str | None) -> Page:
        last = max(1, -(-len(self.rows) // PAGE_ROWS))
        page = super().page(min(number, last), order)
        if number < last:
            return page
        mixed = self.chance.sample(range(page.size), page.size)
        return Page(*(tuple(part[i] for i in mixed) for part in (page.ids, page.days, page.fresh)))


@dataclass
class NewForEver(FakeList):
    """Past its end this service makes rows up."""

    def page(self, number: int, order: str | None) -> Page:
        if number <= -(-len(self.rows) // PAGE_ROWS):
            return super().page(number, order)
        made_up = tuple(f"x{number}-{order}-{n}" for n in range(PAGE_ROWS))
        return Page(made_up, (START,) * PAGE_ROWS, (True,) * PAGE_ROWS)


@dataclass
class AlwaysEdited(RepeatsMixed):
    """As the one that repeats mixed, and each row is another with each answer."""

    def page(self, number: int, order: str | None) -> Page:
        page = super().page(number, order)
        return Page(page.ids, page.days, (True,) * page.size)


def read(scan: Callable[[], Outcome]) -> Outcome | PagingBroken:
    try:
        return scan()
    except PagingBroken as broken:
        return broken


SCANS: list[Callable[[FakeList], Outcome]] = [
    lambda fake: read_list(fake),
    lambda fake: read_list(fake, hint=2 + len(fake.rows) // PAGE_ROWS),
    lambda fake: read_window(fake, expected=len(fake.rows) // PAGE_ROWS),
    lambda fake: read_head(fake, order="newest", since=None, live=len(fake.rows)),
    lambda fake: read_head(fake, order="newest", since=START, live=len(fake.rows)),
]


@pytest.mark.parametrize("kind", [RepeatsMixed, AlwaysEdited, NewForEver])
@pytest.mark.parametrize("scan", range(len(SCANS)))
@pytest.mark.parametrize("count", [20, 70, 130, 640])
def test_a_list_that_never_ends_is_given_up(kind, scan, count):
    def patience(asked, fake):
        assert asked <= 3 * count // PAGE_ROWS + 2 * FEW, "this scan does not end"

    fake = kind(rows(count), patience)
    out = read(lambda: SCANS[scan](fake))
    assert len(fake.requests) <= 2 * count // PAGE_ROWS + FEW
    if isinstance(out, Outcome) and out.proven:
        assert {row[0] for row in fake.rows} <= out.ids or not out.whole


def test_one_that_makes_rows_up_where_nobody_knows_its_length_is_given_up_too():
    out = read(lambda: read_window(NewForEver(rows(120))))
    assert isinstance(out, Outcome)
    assert "pages" in out.reason and not out.proven
