"""``specification/api.toml`` against the document itself, table by table."""

import re

import pytest

from specification import BODIES, LIMITS, LISTS, OPERATIONS
from tests.contract import document

pytestmark = [
    pytest.mark.core,
    pytest.mark.skipif(
        document.PATH is None,
        reason="shared/service/specification.md lies in no folder above this one",
    ),
]

STATES = ("leads", "purchase_orders", "suppliers")
"""Lists whose statuses stand under States alone."""


@pytest.fixture(scope="module")
def text():
    return document.PATH.read_text(encoding="utf-8")


def test_every_body_has_the_fields_of_the_document_in_their_order(text):
    written = document.bodies(text)
    for body in BODIES.values():
        assert list(body.fields) == list(_rows(written, body)), body.name
    named = {body.section for body in BODIES.values()}
    assert set(written) == named


def _rows(written, body):
    rows = written[body.section]
    if body.name == "product_upload":
        return {name: row for name, row in rows.items() if "ticket uploads" not in row["Notes"]}
    return rows


def test_every_field_has_the_type_the_limits_and_the_default_of_the_document(text):
    written = document.bodies(text)
    for body in BODIES.values():
        for name, row in _rows(written, body).items():
            field = body.fields[name]
            facts = document.facts(row)
            if name.endswith("_products"):
                facts["only"] = "update"
            if (body.name, name) in (("adjustments", "products"), ("ticket_timers", "ticket")):
                facts["only"] = "create"  # the document leaves it out of "Update"
            assert {one: getattr(field, one) for one in facts} == facts, f"{body.name}.{name}"


def test_every_accepted_value_stands_in_the_document(text):
    written = document.bodies(text)
    for body in BODIES.values():
        for name, row in _rows(written, body).items():
            notes = row.get("Notes", "")
            values = list(map(str, body.fields[name].values))
            if body.name in ("added", "updated"):
                continue  # the document gives their values with "products" only
            if found := re.search(r"one of (\d+) to (\d+)", notes):
                assert values == [str(n) for n in range(int(found[1]), int(found[2]) + 1)]
            elif found := re.search(r"one of ([\d,]+)", notes):
                assert values == found[1].split(",")
            else:
                said = re.split(r"[;,.] ?|: | or |are |values ", notes)
                assert set(values) <= {one.strip() for one in said}, f"{body.name}.{name}"


def test_every_reference_by_path_names_the_list_of_that_path(text):
    written = document.bodies(text)
    for body in BODIES.values():
        for name, row in _rows(written, body).items():
            if found := re.search(r"from (/\w+)", row.get("Notes", "")):
                assert LISTS[body.fields[name].names].path == found[1]


def test_the_operations_are_those_of_the_document(text):
    assert {(one.method, one.path) for one in OPERATIONS} == set(document.operations(text))


def test_every_list_takes_the_parameters_of_the_document(text):
    cells = document.operations(text)
    for one in LISTS.values():
        if one.name == "pos_invoices":
            assert "same role as /posOrders" in cells["GET", one.path]
            assert one.parameters == LISTS["pos_orders"].parameters
            continue
        assert set(one.parameters) == document.parameters(cells["GET", one.path]), one.name


def test_every_choice_and_search_of_a_list_stands_in_the_document(text):
    cells = document.operations(text)
    for one in LISTS.values():
        cell = cells["GET", "/posOrders" if one.name == "pos_invoices" else one.path]
        for parameter in one.parameters.values():
            found = re.search(rf"{parameter.name} \(([^)]*)\)", cell)
            said = found[1] if found else ""
            if parameter.kind == "choice":
                for value in parameter.values:
                    assert value in said or one.name in STATES, one.name
            if parameter.name == "sort":
                extra = {"recently_updated"} & set(parameter.values)
                assert ("recently_updated" in cell) == bool(extra), one.name
        if one.search:
            keyword = re.search(r"searchKeyword(?: over)? ?\(?(?:over )?([^);]*)", cell)
            assert keyword, one.name
            assert set(one.search) <= set(re.split(r", ", keyword[1])), one.name


def test_the_states_of_the_document_are_those_of_lists_and_bodies(text):
    rows = next(rows for _, _, rows in document.tables(text) if rows and "Thing" in rows[0])
    said = {row["Thing"]: row["Values"].split(", ") for row in rows}
    leads = LISTS["leads"].parameters["status"]
    orders = LISTS["purchase_orders"].parameters["status"]
    assert list(leads.values) == said["Lead status"]
    assert list(orders.values) == said["Purchase order status"]
    assert list(BODIES["products"].fields["status"].values) == said["Product status"]
    assert list(BODIES["appointments"].fields["type"].values) == said["Appointment type"]
    for name in ("users", "suppliers"):
        status = LISTS[name].parameters["status"]
        assert list(status.values) == said["Model / staff / supplier status"]


def test_the_limits_are_those_of_the_document(text):
    rows = next(rows for _, _, rows in document.tables(text) if rows and "Limit" in rows[0])
    said = {row["Limit"]: row["Value"] for row in rows}
    assert said["Request rate"] == f"{LIMITS.requests_per_minute} requests per minute"
    assert said["After a rate-limit error"] == "no requests for one minute"
    assert LIMITS.silence_minutes == 1
    assert f"Ignoring the rate-limit error {LIMITS.ignored_before_block} times" in said
    shortest, longest = LIMITS.block_hours
    ignoring = said[f"Ignoring the rate-limit error {LIMITS.ignored_before_block} times"]
    assert f"{shortest} to {longest} hours" in ignoring
    assert said["Records per request (lists)"] == str(LIMITS.records_per_request)
    assert said["Ticket upload file types"].split(", ") == list(LIMITS.upload_types)
