"""Random services of :mod:`tests.simulations.strangers`, of a few seeds that found something."""

import pytest

from tests.promises import promise
from tests.simulations.strangers import tried


@promise("whatever breaks at a service that is not ours, a mirror that says it is complete is")
@pytest.mark.parametrize("seed", [65, 94])
def test_a_mirror_of_a_stranger_says_complete_only_where_it_is(seed):
    assert tried(seed, nights=2)
