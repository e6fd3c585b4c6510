"""Every row of the specification's field tables: allowed, required, broken once."""

from __future__ import annotations

import pytest

from sources.repair_shop.schema.bodies import BODIES, BodyError, validate
from tests.bodies.tables import ROWS, TABLES, minimal

UPDATABLE = [row for row in ROWS if (row.resource, "update") in BODIES]


@pytest.mark.parametrize("strict", [True, False], ids=["strict", "lenient"])
@pytest.mark.parametrize("row", ROWS, ids=repr)
def test_a_field_of_the_table_is_taken_on_create(row, strict):
    body = minimal(row.resource) | {row.field: row.good()}
    assert validate(row.resource, "create", body, strict=strict)[row.field] == row.good()


@pytest.mark.parametrize("row", UPDATABLE, ids=repr)
def test_a_field_of_the_table_is_taken_alone_on_update_unless_create_only(row):
    body = {row.field: row.good()}
    if row.resource == "leads" and row.field == "mobile":
        body["countryCode"] = "GB"
    if row.create_only:
        with pytest.raises(BodyError, match=f"{row.field}: may be given on create only"):
            validate(row.resource, "update", body)
    else:
        assert validate(row.resource, "update", body, strict=True) == body


@pytest.mark.parametrize("row", [row for row in ROWS if row.required], ids=repr)
def test_a_required_field_is_missed(row):
    body = minimal(row.resource)
    del body[row.field]
    with pytest.raises(BodyError, match=f"{row.field}: is required"):
        validate(row.resource, "create", body, strict=True)


@pytest.mark.parametrize(
    ("resource", "field", "value"),
    [
        ("products", "type", "product"),
        ("products", "condition", "New"),
        ("ticket_comments", "status", "Update"),
        ("appointments", "duration", 10),
    ],
)
def test_a_required_field_with_a_default_is_sent_with_it(resource, field, value):
    body = minimal(resource)
    del body[field]
    assert validate(resource, "create", body)[field] == value


@pytest.mark.parametrize("strict", [True, False], ids=["strict", "lenient"])
@pytest.mark.parametrize(
    ("row", "value"),
    [(row, value) for row in ROWS for value in row.bad()],
    ids=lambda part: repr(part)[:30],
)
def test_each_rule_broken_once_is_refused_naming_the_field(row, value, strict):
    body = minimal(row.resource) | {row.field: value}
    with pytest.raises(BodyError) as caught:
        validate(row.resource, "create", body, strict=strict)
    assert any(fault.field.startswith(row.field) for fault in caught.value.faults)
    assert "specification, " in str(caught.value)


@pytest.mark.parametrize("row", [row for row in ROWS if row.most], ids=repr)
def test_the_longest_text_fits(row):
    body = minimal(row.resource) | {row.field: "ä" * row.most}
    assert len(validate(row.resource, "create", body, strict=True)[row.field]) == row.most


@pytest.mark.parametrize("resource", TABLES)
def test_a_field_that_is_in_no_table_is_refused(resource):
    with pytest.raises(BodyError, match="nonsense: there is no such field"):
        validate(resource, "create", minimal(resource) | {"nonsense": 1}, strict=True)


def test_all_models_have_a_table_here():
    assert {resource for resource, op in BODIES if op == "create"} == set(TABLES)
