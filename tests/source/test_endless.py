"""A service whose list never ends is noticed, in about twice the requests that its rows take."""

from collections.abc import Callable

import pytest

from sources.repair_shop.scan.outcome import PAGE_ROWS, Outcome, PagingBroken
from sources.repair_shop.scan.proven import read_list
from sources.repair_shop.scan.upwards import read_head, read_window
from tests.fakes.lists import START, AlwaysEdited, FakeList, NewForEver, RepeatsMixed, rows

pytestmark = pytest.mark.core

FEW = 42


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
