"""Custom fields of categories and tabs, which the bare list of tickets' fields does not show."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from sandbox.quirks import Quirks
from sources.repair_shop.scan import custom_fields

FIELDS = "custom_fields"
LISTS = ("categories", "preset_categories", FIELDS)


def asked_by_category(mirror):
    """Categories, with their tabs, that were asked for since this was looked at last."""
    paths = [path for path in mirror.asked("/customFields/tickets") if "categoryId" in path]
    mirror.server.forget_requests()
    return paths


def field(store, category, tab=0, name="Added", kind="tickets"):
    """A custom field more."""
    record = {"type": kind, "name": name, "label": name, "category_id": category, "tab_id": tab}
    return store.insert(FIELDS, record)


def without_categories(store):
    """Fields of no category but what a test adds."""
    for record in store.all(FIELDS):
        if record["category_id"]:
            store.delete(FIELDS, str(record["id"]))


@pytest.mark.parametrize(("more", "requests"), [(0, 4), (50, 10)])
def test_fields_of_categories_and_tabs_are_read_and_stay(mirror, more, requests):
    for number in range(more):
        mirror.store.insert(FIELDS, {"type": "tickets", "name": f"Field {number}"})
    mirror.same("categories", FIELDS)
    for _ in range(2):
        # The next nights ask for the default ones only, and lose none of the others.
        assert mirror.same(FIELDS).requests == requests


@pytest.mark.parametrize("rows", [20, 49, 50])
def test_categories_are_asked_weekly_and_not_nightly(make_mirror, rows):
    mirror = make_mirror(quirks=Quirks(page_rows=rows))
    for number in range(30):
        field(mirror.store, 0, name=f"Field {number}")
    began, nights = datetime.now(UTC), []
    for night in range(8):
        with time_machine.travel(began + timedelta(days=night)):
            mirror.complete(*LISTS, "customers")
        if asked_by_category(mirror):
            nights.append(night)
    assert nights == [0, 7]
    mirror.assert_same(FIELDS)


@pytest.mark.parametrize("quirk", ["own", "with_default", "strict"])
def test_where_no_category_of_products_has_fields_others_are_tried(make_mirror, quirk):
    mirror = make_mirror(quirks=Quirks(custom_fields=quirk))
    without_categories(mirror.store)
    # Ids of categories of products that nobody may ask for, as they are no numbers.
    for record in mirror.store.all("categories"):
        mirror.store.delete("categories", str(record["id"]))
    mirror.store.insert("preset_categories", {"id": 41, "name": "Watches"})
    field(mirror.store, 41, name="Of a preset category")
    field(mirror.store, 7, 1, name="Of a small number")
    mirror.same(*LISTS)
    assert len(asked_by_category(mirror)) <= 2 * custom_fields.GUESSED_AT_MOST
    mirror.complete(*LISTS)
    assert asked_by_category(mirror) == []


def test_no_number_is_guessed_while_categories_of_products_have_fields(mirror):
    mirror.run(*LISTS)
    known = {record["id"] for record in mirror.store.all("categories")}
    asked = {path.split("categoryId=")[1].split("&")[0] for path in asked_by_category(mirror)}
    assert asked == {str(one) for one in known}


def test_fields_behind_four_categories_without_any_are_read(make_mirror):
    mirror = make_mirror(quirks=Quirks(custom_fields="with_default"))
    without_categories(mirror.store)
    field(mirror.store, 9)
    mirror.same(*LISTS)


def test_the_owner_may_name_categories_and_tabs(make_mirror):
    mirror = make_mirror(custom_field_categories="7001, 7002:55")
    far, tabbed = field(mirror.store, 7001), field(mirror.store, 7002, 55)
    hidden = field(mirror.store, 7003)
    mirror.complete(*LISTS)
    assert {far, tabbed} <= mirror.live(FIELDS) and hidden not in mirror.live(FIELDS)


@pytest.mark.parametrize("others", [60, 130])
def test_pages_cut_before_other_types_are_left_out_are_all_read(make_mirror, others):
    mirror = make_mirror(quirks=Quirks(custom_fields="cut_first"))
    for number in range(others):
        field(mirror.store, 0, name=f"Other {number}", kind="customers")
    field(mirror.store, 0, name="Behind"), field(mirror.store, 2, name="Behind, of a category")
    field(mirror.store, 0, name="Behind, of leads", kind="leads")
    mirror.same(*LISTS)
    field(mirror.store, 0, name="New", kind="leads"), field(mirror.store, 0, name="New")
    mirror.store.delete(FIELDS, str(mirror.store.all(FIELDS)[20]["id"]))
    mirror.same(*LISTS)


def test_a_new_field_that_begins_a_second_page_is_read(make_mirror):
    mirror = make_mirror(quirks=Quirks(custom_fields="cut_first"))
    for number in range(49 - len(mirror.store.all(FIELDS))):
        field(mirror.store, 0, name=f"Other {number}", kind="customers")
    mirror.run(*LISTS)
    for name in ("Last of the first page", "First of the second"):
        field(mirror.store, 0, name=name, kind="products")
    mirror.same(*LISTS)


def test_an_envelope_may_bear_the_name_of_the_type(make_mirror):
    mirror = make_mirror(quirks=Quirks(envelope="type"))
    mirror.same("categories", FIELDS)


def test_a_field_of_a_category_that_went_is_found_within_a_week(mirror):
    mirror.run("categories", FIELDS)
    gone = next(record for record in mirror.store.all(FIELDS) if record["category_id"])
    mirror.store.delete(FIELDS, str(gone["id"]))
    mirror.run(FIELDS)
    assert str(gone["id"]) in mirror.live(FIELDS)
    mirror.age(f"{FIELDS}:tickets", "categories_on", 7)
    mirror.same(FIELDS)


def test_no_field_is_gone_while_categories_wait_for_their_turn(mirror, monkeypatch):
    mirror.run("categories", FIELDS)
    monkeypatch.setattr(custom_fields, "ASKED_AT_MOST", 3)
    mirror.age(f"{FIELDS}:tickets", "categories_on", 7)
    mirror.same(FIELDS)
