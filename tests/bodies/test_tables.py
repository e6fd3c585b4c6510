"""Every row of the specification's field tables: allowed, required, broken once; by what the client
sends, and by what the sandbox takes, which checks by tables of its own."""

import pytest

from pipelines.bodies import BODIES, BodyError, validate
from sandbox.errors import Refusal
from sandbox.writes.bodies import checked, schema_of
from tests.bodies.tables import ROWS, TABLES, minimal

UPDATABLE = [row for row in ROWS if (row.resource, "update") in BODIES]


@pytest.mark.parametrize("row", ROWS, ids=repr)
def test_a_field_of_the_table_is_taken_on_create(row):
    body = minimal(row.resource) | {row.field: row.good()}
    for check in (checked, validate):
        assert check(row.resource, "create", body)[row.field] == row.good()


@pytest.mark.parametrize("row", UPDATABLE, ids=repr)
def test_a_field_of_the_table_is_taken_alone_on_update_unless_create_only(row):
    body = {row.field: row.good()}
    if row.resource == "leads" and row.field == "mobile":
        body["countryCode"] = "GB"
    if row.create_only:
        with pytest.raises(BodyError, match=f"{row.field}: may be given on create only"):
            validate(row.resource, "update", body)
    else:
        assert (
            validate(row.resource, "update", body) == checked(row.resource, "update", body) == body
        )


@pytest.mark.parametrize("row", [row for row in ROWS if row.required], ids=repr)
def test_a_required_field_is_missed(row):
    body = minimal(row.resource)
    del body[row.field]
    with pytest.raises(Refusal, match=f"{row.field}: is required"):
        checked(row.resource, "create", body)
    if row.field not in BODIES[row.resource, "create"].suggested:
        with pytest.raises(BodyError, match=f"{row.field}: is required"):
            validate(row.resource, "create", body)


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


@pytest.mark.parametrize("row", ROWS, ids=repr)
def test_each_rule_broken_once_is_refused_naming_the_field(row):
    for value in row.bad():
        body = minimal(row.resource) | {row.field: value}
        with pytest.raises(Refusal, match=row.field):
            checked(row.resource, "create", body)
        with pytest.raises(BodyError, match=row.field) as caught:
            validate(row.resource, "create", body)
        assert any(fault.field.startswith(row.field) for fault in caught.value.faults), value
        assert "specification, " in str(caught.value)


@pytest.mark.parametrize("row", ROWS, ids=repr)
def test_the_description_names_the_rules_of_the_row(row):
    shown = schema_of(row.resource, "create")
    field = shown["properties"][row.field]
    assert (row.field in shown.get("required", ())) is row.required
    assert field.get("maxLength") == row.most
    assert (field.get("minimum"), field.get("exclusiveMinimum")) == {
        None: (field.get("minimum"), None), ">=0": (0, None), ">0": (0, True),
    }[row.least]  # fmt: skip
    if row.choices and row.field != "countryCode":
        assert {str(choice) for choice in field["enum"]} == set(row.choices)
    assert (row.field in schema_of(row.resource, "update")["properties"]) is not row.create_only


@pytest.mark.parametrize("row", [row for row in ROWS if row.most], ids=repr)
def test_the_longest_text_fits(row):
    body = minimal(row.resource) | {row.field: "ä" * row.most}
    for check in (checked, validate):
        assert len(check(row.resource, "create", body)[row.field]) == row.most


@pytest.mark.parametrize("resource", TABLES)
def test_a_field_that_is_in_no_table_is_refused(resource):
    for check in (checked, validate):
        with pytest.raises((BodyError, Refusal), match="nonsense: there is no such field"):
            check(resource, "create", minimal(resource) | {"nonsense": 1})


def test_all_models_have_a_table_here():
    assert {resource for resource, op in BODIES if op == "create"} == set(TABLES)


DEFAULTS = {
    ("customers", "create"): {"paymentTermDays": 0},
    ("tickets", "create"): {"status": "New", "issueDescription": ""}
    | dict.fromkeys("workApproved preDiagnosed createInvoice".split(), False)
    | dict.fromkeys("printInvoice printReceipt printLabel".split(), False),
    ("ticket_comments", "create"): {"status": "Update"},
    ("ticket_uploads", "create"): {"fileTitle": "", "displayType": "Public"},
    ("products", "create"): {"type": "product", "condition": "New"}
    | {"enableOfferPrice": False, "planDuration": 3, "serviceSchedule": 1},
    ("products", "update"): {},
    ("appointments", "create"): {"createticket": False, "duration": 10},
    ("appointments", "update"): {},
}


@pytest.mark.parametrize("body", DEFAULTS, ids="-".join)
def test_the_specifications_defaults_are_published(body):
    shown = schema_of(*body)["properties"]
    published = {name: one["default"] for name, one in shown.items() if "default" in one}
    assert published == DEFAULTS[body]
