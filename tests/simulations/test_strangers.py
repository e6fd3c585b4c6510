"""Services of :mod:`tests.simulations.strangers`: four that found something, and others."""

from hypothesis import example, given
from hypothesis import strategies as st

from tests.promises import promise
from tests.simulations.examples import MANY, few
from tests.simulations.strangers import ODD, USUAL, habits, wrong_nights

PLAIN = {name: choices[0] for name, choices in USUAL.items()}
NOT_ODD = dict.fromkeys(ODD.keys() - USUAL.keys(), "")
LAST_PAGE_AGAIN = NOT_ODD | PLAIN | {"size": 20, "page": "last", "updated": "missing", "late": 0.3}
SHY = NOT_ODD | PLAIN | {"closed": "by their own status", "updated": "edited"}
ALWAYS_NEWEST = NOT_ODD | PLAIN | {"size": 100, "sort": "newest", "past": "404", "faults": 0.1}

LAST_PAGE_FOR_ANY = NOT_ODD | PLAIN | {"size": 25, "page": "last", "updated": "ignored"}


@promise("whatever breaks at a service that is not ours, a mirror that says it is complete is")
@few(1)
@example(LAST_PAGE_AGAIN, 65)
@example(ALWAYS_NEWEST, 94)
@example(SHY, 0)
@example(LAST_PAGE_FOR_ANY, 8116)
@given(habits(), st.integers(0, 2**16))
def test_a_mirror_of_a_stranger_says_complete_only_where_it_is(service, seed):
    assert not wrong_nights(service, seed, nights=5 if MANY else 2)
