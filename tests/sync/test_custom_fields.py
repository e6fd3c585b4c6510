"""Custom fields of categories and tabs, which the bare list of tickets' fields does not show."""

import pytest

from sandbox.quirks import Quirks
from sources.repair_shop.scan import custom_fields

FIELDS = "custom_fields"


@pytest.mark.parametrize(("more", "requests"), [(0, 4), (50, 7)])
def test_fields_of_categories_and_tabs_are_read_and_stay(mirror, more, requests):
    for number in range(more):
        mirror.store.insert(FIELDS, {"type": "tickets", "name": f"Field {number}"})
    assert mirror.run("categories", FIELDS).exit_code == 0
    mirror.assert_same(FIELDS)
    for _ in range(2):
        # The next nights ask for the default ones only, and lose none of the others.
        assert mirror.run(FIELDS).requests == requests
        mirror.assert_same(FIELDS)


def test_an_envelope_may_bear_the_name_of_the_type(make_mirror):
    mirror = make_mirror(quirks=Quirks(envelope="type"))
    assert mirror.run("categories", FIELDS).exit_code == 0
    mirror.assert_same(FIELDS)


def test_a_field_of_a_category_that_went_is_found_within_a_week(mirror):
    mirror.run("categories", FIELDS)
    gone = next(record for record in mirror.store.all(FIELDS) if record["category_id"])
    mirror.store.delete(FIELDS, str(gone["id"]))
    mirror.run(FIELDS)
    assert str(gone["id"]) in mirror.live(FIELDS)
    mirror.age(f"{FIELDS}:tickets", "categories_on", 7)
    mirror.run(FIELDS)
    mirror.assert_same(FIELDS)


def test_no_field_is_gone_while_categories_wait_for_their_turn(mirror, monkeypatch):
    mirror.run("categories", FIELDS)
    monkeypatch.setattr(custom_fields, "ASKED_AT_MOST", 3)
    mirror.age(f"{FIELDS}:tickets", "categories_on", 7)
    assert mirror.run(FIELDS).exit_code == 0
    mirror.assert_same(FIELDS)
