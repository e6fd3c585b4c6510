"""Rows that left a list are found the next night by counting its places, and no other row."""

import math
import random
from datetime import date, timedelta

import pytest

from sources.repair_shop.scan import PAGE_ROWS, Outcome
from sources.repair_shop.scan.count import Count
from sources.repair_shop.scan.night import find_gone
from sources.repair_shop.scan.outcome import Bounded
from tests.simulations.nights import (
    BEGIN,
    DIALECTS,
    Dialect,
    Mirror,
    Reading,
    Shop,
    simulate,
)


@pytest.mark.seeds(1)
@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_each_row_that_left_is_found_the_next_night_and_no_other(dialect, seed):
    tally = simulate(dialect, f"{seed + 11} {dialect.name} 0", most=1500)
    assert (tally.wrong, tally.late, tally.lost) == (0, 0, 0), tally
    assert tally.gone
    assert dialect.order == "newest" or max(tally.quiet, default=0) <= 12


@pytest.mark.parametrize(
    ("name", "seed", "number"),
    [
        # A row between the last two pages, sorted loosely, was taken for the one that had left.
        ("loose, no paths", 5, 22),
        # Many rows left a list whose last page is repeated past its end, and the end was not found.
        ("repeats", 1, 2),
        # Many rows left a list whose days change their order: to see them all took too long.
        ("ties", 4, 0),
        # Two rows behind a full page were on that page, too, in the order of its own answer.
        ("ties, no paths", 23, 3),
    ],
)
def test_what_the_simulator_found_stays_found(name, seed, number):
    dialect = next(one for one in DIALECTS if one.name == name)
    tally = simulate(dialect, f"{seed} {name} {number}", most=4000)
    assert (tally.wrong, tally.late, tally.unsure) == (0, 0, 0)


def known_shop(count: int = 700) -> tuple[Shop, Mirror, Reading]:
    """A list that is known whole."""
    shop = Shop(Dialect("plain"), random.Random(3))
    for number in range(count):
        shop.add(number / 8)
    mirror = Mirror(shop)
    mirror.take(shop.ordered())
    return shop, mirror, Reading(mirror)


def counted(reading: Reading, *also: int) -> Count:
    """A count of the list that looks at these pages besides the last one."""
    pages = -(-len(reading.mirror.held) // PAGE_ROWS)
    count = Count(Bounded(reading, Outcome(), pages), reading, size=PAGE_ROWS)
    for number in also:
        count.peek(number)
    return count


def test_a_row_that_the_list_leaves_out_is_told_from_one_that_is_gone():
    shop, _, reading = known_shop()
    left_out, gone = shop.rows.pop("r77"), shop.rows.pop("r500")
    shop.changed = True
    found = find_gone(reading.count(), lambda row: row == left_out.id)
    assert (found.gone, found.unlisted) == ({gone.id}, {left_out.id})


def test_a_row_whose_date_was_edited_is_found_at_its_new_place():
    shop, mirror, reading = known_shop()
    shop.rows["r60"].at = 71.5
    shop.changed = True
    found = find_gone(counted(reading, 6), lambda row: bool(mirror.take([shop.rows[row]])))
    assert not found.gone and not found.unlisted and not found.reason
    assert mirror.held["r60"][0] == BEGIN + timedelta(days=71)


def test_a_deletion_and_an_insertion_hide_each_other_only_from_the_last_page():
    shop, _, reading = known_shop()
    del shop.rows["r60"]
    shop.add(71.5)
    assert not counted(reading).run().gone
    assert counted(reading, 6).run().gone == {"r60"}


def test_one_deletion_costs_the_logarithm_of_the_pages():
    shop, _, reading = known_shop(40_000)
    del shop.rows["r12345"]
    shop.changed = True
    shop.asked = 0
    assert find_gone(counted(reading), lambda row: row in shop.rows).gone == {"r12345"}
    assert shop.asked <= 1 + math.log2(800) + 2


def test_rows_without_a_date_are_left_to_reading_the_whole_list():
    _, _, reading = known_shop(120)

    class Undated(Reading):
        def days(self) -> list[tuple[date | None, int]]:
            return [(None, 1), *super().days()]

    assert (
        Count(Bounded(reading, Outcome(), 4), Undated(reading.mirror), size=PAGE_ROWS)
        .run()
        .read_whole
    )
