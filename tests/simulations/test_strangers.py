"""Services of :mod:`tests.simulations.strangers`: some that found something, and others."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.fakes.loopback import Reply
from tests.promises import promise
from tests.simulations.examples import MANY, few
from tests.simulations.habits import ODD, USUAL, habits
from tests.simulations.strangers import Stranger, wrong_nights

PLAIN = {name: choices[0] for name, choices in USUAL.items()}
NOT_ODD = dict.fromkeys(ODD.keys() - USUAL.keys(), "")
LAST_PAGE_AGAIN = NOT_ODD | PLAIN | {"size": 20, "page": "last", "updated": "missing", "late": 0.3}
SHY = NOT_ODD | PLAIN | {"closed": "by their own status", "updated": "edited"}
ALWAYS_NEWEST = NOT_ODD | PLAIN | {"size": 100, "sort": "newest", "past": "404", "faults": 0.1}

REFUSES_SORT = NOT_ODD | PLAIN | {"refuses": "sort"}
TWO_PAGES_AT_MOST = NOT_ODD | PLAIN | {"deepest": 2, "offset": False}
ROWS_TWICE = NOT_ODD | PLAIN | {"twice": 0.05}
LAST_PAGE_FOR_ANY = NOT_ODD | PLAIN | {"size": 25, "page": "last", "updated": "ignored"}


@promise("whatever breaks at a service that is not ours, a mirror that says it is complete is")
@few(1)
@example(LAST_PAGE_AGAIN, 65)
@example(ALWAYS_NEWEST, 94)
@example(SHY, 0)
@example(LAST_PAGE_FOR_ANY, 8116)
@example(REFUSES_SORT, 0)
@example(TWO_PAGES_AT_MOST, 1)
@given(habits(), st.integers(0, 2**16))
def test_a_mirror_of_a_stranger_says_complete_only_where_it_is(service, seed):
    assert not wrong_nights(service, seed, nights=5 if MANY else 2)


@pytest.mark.parametrize(
    ("habits", "seed", "nights"),
    [
        (ROWS_TWICE, 0, 3),
        (TWO_PAGES_AT_MOST | {"offset": True}, 1, 2),
        (SHY | {"updated": "deleted too"}, 4, 9),  # all tickets are read weekly
        (NOT_ODD | PLAIN | {"statuses": "renamed", "updated": "deleted too", "hour": 2}, 13, 4),
        (NOT_ODD | PLAIN | {"refuses": "includeResource", "past": "400"}, 1, 2),
        (NOT_ODD | PLAIN | {"refuses": "Date(From|To)"}, 1, 2),
    ],
)
def test_a_service_of_an_odd_habit_is_mirrored_night_by_night(habits, seed, nights):
    assert not wrong_nights(habits, seed, nights)


@pytest.mark.parametrize("seed", [3, 6])
def test_a_deleted_row_among_the_changes_whose_path_fails_once_is_looked_for_again(
    monkeypatch, seed
):
    answer, failed = Stranger.reply, list[str]()

    def reply(service, seen):
        if not failed and re.fullmatch(r"/v1/appointments/\d+", seen.path):
            failed.append(seen.path)
            return Reply(422, {"error": "Not found"})
        return answer(service, seen)

    monkeypatch.setattr(Stranger, "reply", reply)
    told = NOT_ODD | PLAIN | {"updated": "deleted too", "gone": (400, {"error": "No id"})}
    assert not wrong_nights(told, seed, nights=4)
    assert failed
