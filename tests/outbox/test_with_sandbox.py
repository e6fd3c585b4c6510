"""Every writable resource against the sandbox: created, changed and deleted once, faults or not."""

import pytest

from pipelines.outbox import enqueue, push
from sandbox.quirks import Quirks
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from tests.outbox import crash
from tests.outbox.conftest import changes, of_sandbox
from tests.simulations.user import body_of

SHOPS = {
    "plain": Quirks(),
    "odd": Quirks(
        envelope="data",
        amounts="currency",
        naming="camelCase",
        dates="dd-mmm-yyyy",
        detail="list",
        empty_reference="missing",
        paging="offset_only",
    ),
}
FAULTS = (None, "drop_answer_after_commit", "http_500_before", "http_500_after")
WIRE = (
    *("reset", "truncated_json", "truncated_body", "html_502", "error_under_200"),
    *("xml_despite_json", "rate_error"),
)
UPDATES = crash.UPDATES | {"tickets": {"shortInfo": "New words"}}


@pytest.fixture(scope="module")
def sandbox():
    specs = [ShopSpec(name, quirks=quirks, limit=None) for name, quirks in SHOPS.items()]
    with SandboxServer(specs, minute_seconds=0.1) as server:
        yield server


@pytest.fixture
def home(tmp_path, sandbox):
    return of_sandbox(tmp_path, sandbox, *SHOPS)


def body_with(store, resource, word):
    """A full enough body, with ids that exist, told apart by ``word``."""
    body = body_of(lambda name: store.ids(name)[0], resource, word, "05-Mar-2026 10:00")
    if resource == "tickets":
        code = store.first("products", "1", ())["code"]
        body["lines"] = [{"productCode": code, "quantity": 1, "unitPrice": 5}]
    return body


# What an odd service shows matters where a record is looked up by what it holds.
@pytest.mark.parametrize(
    ("shop", "fault"),
    [*(("plain", fault) for fault in FAULTS), ("odd", "drop_answer_after_commit")],
)
@pytest.mark.parametrize("resource", crash.CREATABLE)
def test_a_create_is_there_once(sandbox, home, shop, fault, resource):
    store = sandbox.store(shop)
    body = body_with(store, resource, f"{resource[:8]} {FAULTS.index(fault)}")
    marker = resource == "payments"
    enqueue(resource, "create", body, shop=shop, settings=home, marker=marker)
    before = store.count(resource)
    if fault:
        sandbox.faults.next(fault, method="POST", shop=shop)
    push(home, shop)
    [change] = changes(home)
    if resource == "payments" and fault == "http_500_before":
        assert (change.state, store.count(resource)) == ("in_doubt", before), change.reason
        return
    assert change.state == "done", change.reason
    assert store.count(resource) == before + 1
    assert store.get(resource, change.id) is not None


@pytest.mark.parametrize("rows", [50, 100])
def test_recent_records_that_fill_their_pages_are_read_to_the_end(tmp_path, rows):
    with SandboxServer([ShopSpec(records=[], limit=None)], minute_seconds=0.1) as server:
        store = server.store()
        for number in range(rows):
            store.insert("brands", {"name": f"Brand {number}"})
        home = of_sandbox(tmp_path, server)
        enqueue("brands", "create", {"name": "Acme"}, settings=home)
        server.faults.next("drop_answer_after_commit", method="POST")
        push(home)
        [change] = changes(home)
        assert change.state == "done", change.reason
        assert store.count("brands") == rows + 1


@pytest.mark.parametrize("fault", WIRE)
@pytest.mark.parametrize("resource", ["customers", "payments"])
def test_whatever_the_wire_does_a_create_is_there_at_most_once(sandbox, home, resource, fault):
    store = sandbox.store("plain")
    body = body_with(store, resource, f"wire {fault}")
    marker = resource == "payments"
    enqueue(resource, "create", body, shop="plain", settings=home, marker=marker)
    before = store.count(resource)
    sandbox.faults.next(fault, method="POST", shop="plain")
    push(home, "plain")
    [change] = changes(home)
    made = store.count(resource) - before
    if change.state == "done":
        assert made == 1
    else:
        assert (resource, change.state, made) == ("payments", "in_doubt", 0)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("resource", UPDATES)
def test_an_update_is_there_once(sandbox, home, fault, resource):
    store = sandbox.store("plain")
    record = store.ids(resource)[FAULTS.index(fault)]  # one that nobody wrote just now
    before = store.get(resource, record)
    enqueue(resource, "update", UPDATES[resource], record_id=record, shop="plain", settings=home)
    if fault:
        sandbox.faults.next(fault, method="PUT", shop="plain")
    push(home, "plain")
    [change] = changes(home)
    assert change.state == "done", change.reason
    after = store.get(resource, record)
    assert all(value in str(after) for value in UPDATES[resource].values() if type(value) is str)
    if resource == "products":
        assert float(after["stock"]) == float(before["stock"]) + 2


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("resource", [name for name in UPDATES if name != "serials"])
def test_a_delete_is_there_once(sandbox, home, fault, resource):
    store = sandbox.store("plain")
    body = body_with(store, resource, f"del {resource[:8]} {FAULTS.index(fault)}")
    [made] = enqueue(resource, "create", body, shop="plain", settings=home)
    enqueue(resource, "delete", record_id=f"@{made}", shop="plain", settings=home)
    if fault:
        sandbox.faults.next(fault, method="DELETE", shop="plain")
    report = push(home, "plain")
    assert report.exit_code == 0, [change.reason for change in changes(home)]
    assert store.get(resource, changes(home)[0].id) is None


@pytest.mark.parametrize("skip", [0, 1])
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("resource", ["tickets", "products"])
def test_an_upload_arrives(sandbox, home, tmp_path, fault, skip, resource):
    store = sandbox.store("plain")
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(b"picture" * 1000)
    record = store.ids(resource)[0]
    enqueue(resource, "upload", record_id=record, file=photo, shop="plain", settings=home)
    if fault:
        sandbox.faults.next(fault, method="POST", shop="plain", skip=skip)
    assert push(home, "plain").exit_code == 0, changes(home)[0].reason
    [change] = changes(home)
    assert change.id in store.get(resource, record)["_files"]


def test_a_label_that_does_not_match_exactly_is_the_services_word(sandbox, home):
    record = sandbox.store("plain").ids("tickets")[0]
    fields = {"status": "in progres"}
    enqueue("tickets", "update", fields, record_id=record, shop="plain", settings=home)
    assert push(home, "plain").exit_code == 1
    [change] = changes(home)
    assert change.state == "rejected"
    assert "in progres" in change.reason


def test_a_push_keeps_to_the_rate_limit(tmp_path):
    shop = ShopSpec("main", limit=10)
    with SandboxServer([shop], minute_seconds=0.5) as server:
        settings = of_sandbox(tmp_path, server, requests_per_minute=10, minute_seconds=0.5)
        rows = [{"name": f"brand {number}"} for number in range(25)]
        enqueue("brands", "create", rows, settings=settings)
        assert push(settings).done == 25
        assert server.rate_errors() == 0
