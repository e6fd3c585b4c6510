"""A service whose answers do not say what happened, over real HTTP: nothing is sent twice, nothing
is called done that is not, and what the till took is not taken for ours."""

from datetime import UTC, datetime, timedelta

import pytest

from pipelines.outbox import enqueue, push
from sandbox.quirks import Quirks
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from sources.repair_shop.http.service_clock import ServiceClock
from tests.outbox.conftest import at, changes, events, of_sandbox

SAVED = {"error": "Payment saved, but the receipt could not be sent: SMS API limit reached"}


@pytest.fixture(scope="module")
def sandbox():
    specs = [
        ShopSpec("main", limit=None),
        ShopSpec("empty", records=[], limit=None),
        ShopSpec("words", limit=None, quirks=Quirks(rate_error_status=503)),
    ]
    with SandboxServer(specs, minute_seconds=0.1) as server:
        yield server


@pytest.fixture
def home(tmp_path, sandbox):
    return home_of(tmp_path, sandbox, "main")


def home_of(folder, sandbox, name):
    sandbox.faults.clear()
    return of_sandbox(folder, sandbox, name)


def brands(store):
    return [row["name"] for row in store.all("brands")]


def payment(store, amount=1.25, **line):
    return {
        "invoiceId": store.ids("ticket_invoices")[0],
        "lines": [{"amount": amount, "paymentMethod": store.ids("payment_methods")[0], **line}],
    }


def till(store, amount, note=""):
    """A payment that the till takes: on the invoice and in the list."""
    invoice = store.get("ticket_invoices", store.ids("ticket_invoices")[0])
    return store.pay("ticket_invoices", invoice, {"amount": amount, "payment_note": note})


@pytest.mark.parametrize("status", [500, 502, 200])
def test_a_payment_that_was_saved_is_not_sent_again(sandbox, home, status):
    store = sandbox.store("main")
    before = store.count("payments")
    enqueue("payments", "create", payment(store), settings=home, marker=True)
    sandbox.faults.next("answer_after", method="POST", status=status, content=SAVED)
    push(home)
    [change] = changes(home)
    assert (change.state, store.count("payments")) == ("done", before + 1), change.reason


def test_a_rate_error_in_the_recorded_words_is_waited_out_and_sent_again(sandbox, tmp_path):
    home = home_of(tmp_path, sandbox, "words")
    store = sandbox.store("words")
    before = store.count("payments")
    enqueue("payments", "create", payment(store), settings=home)
    sandbox.faults.next("rate_error", shop="words", method="GET")
    sandbox.faults.next("rate_error", shop="words", method="POST")
    push(home)
    [change] = changes(home)
    assert (change.state, store.count("payments")) == ("done", before + 1), change.reason
    assert [event for event, _ in events(home)].count("sending") == 2
    assert "503" in dict(events(home))["in doubt"]


def test_each_resending_is_a_row_of_the_history(sandbox, home):
    enqueue("brands", "create", {"name": "Sent twice"}, settings=home)
    sandbox.faults.next("rate_error", shop="main", method="POST", times=2)
    push(home)
    assert [event for event, _ in events(home)].count("sending") == 3
    assert changes(home)[0].state == "done"


@pytest.mark.parametrize(
    "content",
    [
        lambda proper: {**proper, "error": "Customer is locked"},
        lambda proper: {**proper, "errors": [{"field": "city"}]},
        lambda proper: {"data": {**proper, "result": {"success": False}}},
        lambda proper: {**proper, "message": "The record could not be saved"},
        lambda proper: {"id": False},
        lambda proper: {"id": "someone else"},
        lambda proper: {},
    ],
)
@pytest.mark.parametrize("applied", [True, False])
def test_an_update_is_done_only_when_the_record_shows_it(sandbox, home, content, applied):
    store = sandbox.store("main")
    record = store.ids("customers")[0]
    store.update("customers", record, {"company": "Old"})
    enqueue("customers", "update", {"company": "New"}, record_id=record, settings=home)
    told = content if applied else content({"id": record})
    kind = "answer_after" if applied else "answer_before"
    sandbox.faults.next(kind, method="PUT", content=told, times=9)
    push(home, wait=False)
    [change] = changes(home)
    assert change.state == ("done" if applied else "in_doubt"), change.reason
    assert store.get("customers", record)["company"] == ("New" if applied else "Old")


@pytest.mark.parametrize(
    "content",
    [{"success": False, "id": 0}, {"id": False}, {"id": 0}, {"id": "none"}, {"id": {}}, {"id": -1}],
)
def test_a_create_that_was_refused_under_a_success_is_not_done(sandbox, home, content):
    enqueue("brands", "create", {"name": f"Refused {content}"}, settings=home)
    sandbox.faults.next("answer_before", method="POST", content=content, status=201, times=9)
    push(home, wait=False)
    [change] = changes(home)
    assert (change.state, change.id) == ("in_doubt", None)
    assert "the service answered 201" in events(home)[-2][1]


@pytest.mark.parametrize(
    "content", [{"success": False}, {"id": 0, "error": "in use"}, {"status": "error"}]
)
def test_a_delete_that_was_refused_under_a_success_is_not_done(sandbox, home, content):
    store = sandbox.store("main")
    record = store.insert("brands", {"name": "Kept"})
    enqueue("brands", "delete", record_id=record, settings=home)
    sandbox.faults.next("answer_before", method="DELETE", content=content, times=9)
    push(home, wait=False)
    assert changes(home)[0].state == "in_doubt"


def test_a_delete_is_not_believed_to_a_service_that_finds_nothing(sandbox, home):
    store = sandbox.store("main")
    record = store.insert("brands", {"name": "Still there"})
    enqueue("brands", "delete", record_id=record, settings=home)
    sandbox.faults.next("http_500_before", method="DELETE")
    sandbox.faults.next("not_found", method="GET", path=f"/brands/{record}", times=2)
    push(home, wait=False)
    assert changes(home)[0].state == "in_doubt"
    assert store.get("brands", record) is not None


@pytest.mark.parametrize("applied", [True, False])
@pytest.mark.parametrize("marker", [True, False])
def test_a_payment_of_the_till_is_not_adopted(sandbox, home, marker, applied):
    """Of the same amount, taken while ours was on its way."""
    store = sandbox.store("main")
    enqueue("payments", "create", payment(store, 7.5), settings=home, marker=marker)
    fault = "drop_answer_after_commit" if applied else "http_500_before"
    sandbox.faults.next(fault, method="POST")
    taken = []

    def hook(step, number):
        if step == "intent":
            taken.append(till(store, 7.5))

    push(home, hook=hook)
    [change] = changes(home)
    assert change.state == ("done" if marker and applied else "in_doubt"), change.reason
    assert change.id not in taken
    if marker and applied:
        assert change.marker in store.get("payments", change.id)["payment_note"]


def test_an_equal_payment_goes_to_a_person_unless_something_tells_it_apart(sandbox, home):
    store = sandbox.store("main")
    enqueue("payments", "create", payment(store, 8), settings=home)
    enqueue("payments", "create", payment(store, 9, paymentNote="deposit"), settings=home)
    sandbox.faults.next("drop_answer_after_commit", method="POST", times=2)
    push(home)
    first, _ = changes(home)
    assert first.state == "in_doubt"
    assert "the till may have taken it" in first.reason


def test_the_id_of_a_doubtful_answer_tells_a_payment_apart(sandbox, home):
    store = sandbox.store("main")
    enqueue("payments", "create", payment(store, 4), settings=home)
    sandbox.faults.next(
        "answer_after", method="POST", content=lambda proper: {**proper, "warning": "no receipt"}
    )
    push(home)
    [change] = changes(home)
    assert change.state == "done", change.reason
    assert float(store.get("payments", change.id)["amount"]) == 4


@pytest.mark.parametrize(
    "told",
    [{"status": "Active"}, {"code": 201}, {"order": 404}, {"message": "Saved", "errors": []}],
)
def test_an_answer_that_tells_of_no_error_needs_no_look(sandbox, home, told):
    enqueue("brands", "create", {"name": f"Told {told}"}, settings=home)
    plain = {"status": 201, "content": lambda proper: {**proper, **told}}
    sandbox.faults.next("answer_after", method="POST", **plain)
    push(home)
    assert [event for event, _ in events(home)] == ["queued", "sending", "done"]


def test_a_page_with_a_repeated_id_hides_no_other(sandbox, tmp_path):
    home = home_of(tmp_path, sandbox, "empty")
    store = sandbox.store("empty")
    for number in range(60):
        store.insert("brands", {"name": f"Brand {number}"})
    store.insert("brands", {"name": "Acme"})
    enqueue("brands", "create", {"name": "Ours"}, settings=home)
    sandbox.faults.next("drop_answer_after_commit", shop="empty", method="POST")

    def repeat(rows):
        return [*rows[:-1], rows[0]] if len(rows) == 50 else rows

    sandbox.faults.next("answer_after", method="GET", path="/brands", content=repeat, times=40)

    def later():
        """Rows that come after ours push it to the second page."""
        for number in range(55):
            store.insert("brands", {"name": f"Later {number}"})

    def hook(step, number):
        if step == "intent":
            sandbox.faults.after(1, later, shop="empty")

    push(home, hook=hook)
    sandbox.faults.clear()
    [change] = changes(home)
    names = brands(store)
    assert names.count("Ours") == 1, change.reason


def test_a_clock_that_is_ahead_doubles_nothing(sandbox, home, monkeypatch):
    """The window that our clock opens shows no record; so it is no evidence."""
    store = sandbox.store("main")

    ahead = datetime.now(UTC) + timedelta(days=3)
    monkeypatch.setattr(ServiceClock, "earlier", lambda clock: ahead)
    for number in range(3):
        store.insert("brands", {"name": f"Before {number}"})
    enqueue("brands", "create", {"name": "Clocked"}, settings=home)
    sandbox.faults.next("drop_answer_after_commit", method="POST")
    push(home)
    names = brands(store)
    assert (changes(home)[0].state, names.count("Clocked")) == ("done", 1)


def test_a_look_that_shows_no_record_known_to_be_there_proves_nothing(sandbox, home):
    store = sandbox.store("main")
    store.insert("brands", {"name": "Here"})
    enqueue("brands", "create", {"name": "Hidden"}, settings=home)
    sandbox.faults.next("drop_answer_after_commit", method="POST")

    push(
        home,
        hook=at(
            "intent",
            lambda: sandbox.faults.next("empty_list", method="GET", path="/brands", times=30),
        ),
    )
    sandbox.faults.clear()
    assert changes(home)[0].state == "in_doubt"
    push(home)
    names = brands(store)
    assert (changes(home)[0].state, names.count("Hidden")) == ("done", 1)


ODD = [1700000000.5, "99999-99-99T99:99", -1e300, ["x"], {"a": "\ud83d"}, True, "0000-00-00", 1e18]


@pytest.mark.parametrize("odd", ODD)
def test_one_odd_record_stops_no_other_change(sandbox, home, odd):
    enqueue("brands", "create", {"name": f"One {odd}"}, settings=home)
    enqueue("customers", "create", {"name": f"Two {odd}"}, settings=home)
    sandbox.faults.next("drop_answer_after_commit", method="POST", path="/brands")

    def spoil(rows):
        return [{**row, "created_date": odd} for row in rows[:1]] + rows[1:]

    sandbox.faults.next("answer_after", method="GET", path="/brands", content=spoil, times=40)
    push(home)
    sandbox.faults.clear()
    first, second = changes(home)
    assert second.state == "done"
    assert first.state in ("done", "in_doubt")
    store = sandbox.store("main")
    names = brands(store)
    assert names.count(f"One {odd}") == 1


@pytest.mark.parametrize(
    "value",
    [
        "Fri, 31 Dec 99999 23:59:59 GMT",
        "5 Jan 2020 99:00 +9999",
        "Mon, 99 Xxx 0000",
        "1e400",
        "-5",
        "٣",
        "",
    ],
)
def test_an_odd_retry_after_stops_no_push(sandbox, home, value):
    enqueue("brands", "create", {"name": f"Later {value[:9]}"}, settings=home)
    headers = {"retry-after": value.encode("utf-8").decode("latin-1")}
    sandbox.faults.next(
        "answer_before", method="POST", status=429, content={"error": "Slow down"}, headers=headers
    )
    push(home)
    assert changes(home)[0].state == "done", changes(home)[0].reason


def test_what_nobody_foresaw_in_one_change_parks_it_alone(home, monkeypatch):
    enqueue("brands", "create", [{"name": "Poison"}, {"name": "Plain"}], settings=home)
    from pipelines.outbox import sending

    real = sending.doubt_of

    def poisoned(*answered):
        if changes(home)[0].state == "sending":
            raise KeyError("nobody foresaw this")
        return real(*answered)

    monkeypatch.setattr(sending, "doubt_of", poisoned)
    push(home)
    first, second = changes(home)
    assert second.state == "done"
    assert first.state == "done", "it was sent, in doubt for the unforeseen, and found"
    assert any("nobody foresaw this" in detail for _, detail in events(home))


@pytest.mark.parametrize("lost", [False, True])
def test_a_record_that_is_never_answered_stops_no_other_change(sandbox, home, lost):
    store = sandbox.store("main")
    record = store.insert("customers", {"name": "Deaf"})
    enqueue("customers", "update", {"company": "New"}, record_id=record, settings=home)
    enqueue("brands", "create", {"name": f"Heard {lost}"}, settings=home)
    path = f"/customers/{record}"
    if lost:
        sandbox.faults.next("drop_answer_after_commit", method="PUT", path=path)
    sandbox.faults.next("reset", method="GET", path=path, times=99, skip=int(lost))
    push(home)
    first, second = changes(home)
    assert (first.state, second.state) == ("in_doubt" if lost else "queued", "done")
    sandbox.faults.clear()
    push(home)
    assert changes(home)[0].state == "done"
