"""Every field of every body: the client and the sandbox take and refuse the same values."""

from contextlib import closing

import pytest

from pipelines.bodies import BodyError, validate
from sandbox.bodies import checked
from sandbox.calls import Refusal
from sandbox.quirks import Quirks
from sandbox.service import Sandbox
from sandbox.shops import ShopSpec
from specification import LISTS
from tests.contract.asking import ZONE, client_of, first, least_body, real
from tests.contract.values import WRITTEN, bad, good, minimal

BELOW_ZERO = {"cost", "price", "offerPrice", "quantity", "cog_per_item", "duration"}


def taken_by_client(resource, op, body):
    try:
        validate(resource, op, body)
    except BodyError as error:
        return str(error)
    return ""


def taken_by_sandbox(resource, op, body):
    try:
        checked(resource, op, body)
    except Refusal as error:
        return str(error)
    return ""


@pytest.mark.parametrize("taken", [taken_by_client, taken_by_sandbox])
def test_a_field_is_taken_as_the_specification_says(subtests, taken):
    for resource, table in WRITTEN.items():
        op = "update" if resource == "serials" else "create"
        least = minimal(resource, op) if op == "create" else {}
        for name, field in table.taken(op).items():
            with subtests.test(f"{resource}.{name}"):
                right = good(field)
                assert taken(resource, op, {**least, name: right}) == ""
                for wrong in bad(field):
                    assert name in taken(resource, op, {**least, name: wrong}), wrong
                if op == "create" and field.required and field.default is None:
                    assert name in taken(
                        resource, op, {k: v for k, v in least.items() if k != name}
                    )


@pytest.mark.parametrize("taken", [taken_by_client, taken_by_sandbox])
def test_fields_of_another_operation_or_of_none_are_refused(subtests, taken):
    for resource, table in WRITTEN.items():
        for op in ("create", "update"):
            foreign = set(table.fields) - set(table.taken(op)) | {"Name ", "nothing"}
            if (resource, op) in (("serials", "create"), ("payments", "update")):
                continue
            if (resource, op) == ("ticket_comments", "update"):
                continue
            for name in foreign:
                with subtests.test(f"{op} {resource}.{name}"):
                    assert taken(resource, op, {**minimal(resource, op), name: "x"})


@pytest.fixture(scope="module")
def shop():
    """A shop for all of this module, references as objects and not as texts."""
    plain = Quirks(second_look=False)
    with closing(Sandbox([ShopSpec("main", ZONE, plain, limit=None)])) as sandbox:
        yield client_of(sandbox)


def test_a_field_is_taken_or_refused_through_http(shop, subtests):
    for resource, table in WRITTEN.items():
        path, method, op = LISTS[resource].path, "POST", "create"
        body = least_body(shop, path)
        if resource == "serials":
            path, method, op, body = f"{path}/{first(shop, path)['id']}", "PUT", "update", {}
        for name, field in table.taken(op).items():
            with subtests.test(f"{resource}.{name}"):
                beside = {}
                if name == "createticket":
                    beside = {"customer": first(shop, "/customers")["id"]}
                sent = {**body, **beside, name: real(shop, resource, field)}
                answer = shop.request(method, path, json=sent)
                assert answer.status_code in (200, 201), answer.text
                wrong = bad(field) + ([-1] if name in BELOW_ZERO else [])
                if field.names and field.type == "string" and field.several != "comma":
                    wrong.append("nobody")
                for value in wrong:
                    answer = shop.request(method, path, json={**body, name: value})
                    assert answer.status_code == 400, value
                    assert name in answer.json()["error"], (value, answer.text)
