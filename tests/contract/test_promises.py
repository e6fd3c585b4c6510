"""``docs/proofs.md`` says which tests show each promise."""

import pytest

from tests.promises import PAGE, promise, shown, written

pytestmark = pytest.mark.core


def test_every_promise_has_a_test():
    assert [text for text, by in shown().items() if not by] == []


def test_the_table_of_the_page_is_what_the_marks_say():
    page = PAGE.read_text(encoding="utf-8")
    assert page == written(page), "python -m tests.promises writes it"


def test_a_promise_that_nobody_made_is_refused():
    with pytest.raises(ValueError, match="nobody promised"):
        promise("rain")
