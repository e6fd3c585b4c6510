"""What a service does not show settles nothing: no change is made again, or given up, over it."""

import errno
import os

import httpx
import pytest

from pipelines.outbox import Outbox, QueueBroken, QueueForeign, next_step, origin
from pipelines.outbox.errors import InputRefused
from tests.outbox.desk import HOUR, at
from tests.outbox.test_looks import push_and_put_back

pytestmark = pytest.mark.core
ANN = ("customers", "create", {"name": "Ann"})
TICKET = ("tickets", "create", {"customerId": "c-1", "shortInfo": "Glass"})


def many(desk, path, count=60):
    """Records of before, on more than one page."""
    for number in range(count):
        desk.shop.put(path, name=f"Old {number}", short_info=f"Old {number}")
    desk.shop.clock.ticks += HOUR


def test_looks_without_an_answer_end_a_push_and_leave_the_changes_in_doubt(desk):
    for name in ("Ann", "Bob", "Cid"):
        desk.queue("customers", "create", {"name": name})
    desk.shop.lag = 60.0
    desk.push(*["lost after"] * 3, wait=False)
    desk.shop.clock.ticks += HOUR
    desk.shop.read_faults.extend([-1] * 40)
    report = desk.push()
    assert (report.exit_code, desk.states()) == (3, ["in_doubt"] * 3)
    assert "3 changes in a row without an answer" in str(report.errors["main"])
    desk.shop.read_faults.clear()
    desk.later()
    assert (desk.states(), desk.made("customers")) == (["done"] * 3, 3)


def test_one_record_that_never_answers_keeps_no_other_change_from_being_sent(desk):
    record = desk.shop.put("customers", name="Ann")
    desk.queue("customers", "delete", None, record)
    desk.push("lost before", wait=False)
    desk.shop.refuses = lambda path, page: (503, "") if path == f"customers/{record}" else None
    desk.queue("brands", "create", {"name": "X"})
    desk.later()
    assert desk.states() == ["in_doubt", "done"]


def test_a_service_that_cannot_be_reached_is_asked_once(desk):
    desk.queue(*ANN)
    desk.push("lost before", wait=False)
    desk.queue("brands", "create", {"name": "X"})
    desk.shop.requests.clear()

    def refuses(path, page):
        raise httpx.ConnectError("nobody there")

    desk.shop.refuses = refuses
    assert desk.later().exit_code == 3
    assert {path for _, path in desk.shop.requests} == {"customers"}
    assert desk.states() == ["in_doubt", "queued"]


@pytest.mark.parametrize("status", [400, 403, 500])
def test_a_record_that_cannot_be_shown_is_not_gone(desk, status):
    record = desk.shop.put("customers", name="Ann")
    many(desk, "customers")
    desk.queue("customers", "delete", None, record)
    desk.push("lost before", wait=False)
    told = {"error": "This one has a fault of its own."}
    desk.shop.refuses = lambda path, page: (status, told) if path.endswith(f"/{record}") else None
    desk.later(HOUR, 2)
    assert (desk.states(), desk.shop.count("DELETE", "customers")) == (["in_doubt"], 0)


@pytest.mark.parametrize("status", [403, 500])
def test_a_delete_is_not_done_while_no_record_can_be_shown(desk, status):
    first, second = (desk.shop.put("customers", name=name) for name in ("Ann", "Bob"))
    desk.shop.ignores.add(second)
    for record in (first, second):
        desk.queue("customers", "delete", None, record)

    def refuses(path, page):
        is_sent = desk.states()[1] == "in_doubt" and path.startswith("customers/")
        return (status, {"error": "Not now."}) if is_sent else None

    desk.shop.refuses = refuses
    desk.push()
    assert desk.states() == ["done", "in_doubt"]


def test_a_record_in_its_list_is_not_gone(desk):
    first, second, _ = (desk.shop.put("customers", name=name) for name in ("Ann", "Bob", "Cid"))
    for record in (first, second):
        desk.queue("customers", "delete", None, record)
    desk.shop.refuses = lambda path, page: (
        (404, {"error": "Not found."}) if path == f"customers/{second}" else None
    )
    desk.push("lost after", "lost before")
    assert (desk.states(), desk.shop.count("DELETE", "customers")) == (["done", "in_doubt"], 1)


def test_a_record_that_its_list_shows_as_deleted_is_gone(desk):
    record = desk.shop.put("customers", name="Ann")
    desk.shop.ignores.add(record)
    desk.queue("customers", "delete", None, record)
    row = desk.shop.tables["customers"][record]
    desk.push(hook=at("answered", lambda: row.update(deleted_at=desk.shop.shown())))
    assert desk.states() == ["done"]


def test_the_last_record_of_a_list_is_deleted(desk):
    desk.queue("leads", "delete", None, desk.shop.put("leads", name="Ann"))
    assert (desk.push().exit_code, desk.states()) == (0, ["done"])


@pytest.mark.parametrize("status", [400, 404])
@pytest.mark.parametrize("fault", ["", "lost after"])
def test_a_refusal_of_the_second_page_ends_a_list(desk, status, fault):
    desk.shop.refuses = lambda path, page: (status, {"error": "No page."}) if page > 1 else None
    desk.queue(*ANN)
    assert desk.push(fault).exit_code == 0
    assert (desk.states(), desk.made("customers")) == (["done"], 1)


@pytest.mark.parametrize("is_put_back", [False, True])
def test_an_empty_list_is_no_sign_that_a_record_is_not_there(desk, is_put_back):
    desk.begin()
    desk.queue(*ANN)
    desk.shop.lag = 60.0
    if is_put_back:
        push_and_put_back(desk)
    else:
        desk.push("lost after", wait=False)
    desk.shop.refuses = lambda path, page: (200, []) if path == "customers" else None
    desk.later(HOUR, 3)
    assert (desk.states(), desk.made("customers")) == (["in_doubt"], 1)
    desk.shop.refuses = lambda path, page: None
    desk.later(6 * HOUR, 3)
    assert (desk.states(), desk.made("customers")) == (["done"], 1)


def test_a_record_of_just_before_is_not_ours_where_the_list_was_empty_for_once(desk):
    desk.shop.put("customers", name="Ann", mobile="5550")
    desk.shop.clock.ticks += 5
    desk.queue(*ANN)
    desk.shop.read_faults.append(-2)
    desk.push("lost before")
    assert "may be it, or another's" in desk.change().reason


@pytest.mark.parametrize(("fault", "made"), [("", 1), ("lost after", 1), ("lost before", 0)])
def test_a_ticket_is_sent_once_where_nothing_tells_which_ones_are_new(desk, fault, made):
    many(desk, "tickets")
    desk.shop.knows_page = False
    desk.queue(*TICKET)
    desk.push(fault)
    desk.later(HOUR, 3)
    assert (desk.states(), desk.made("tickets")) == (["in_doubt" if fault else "done"], made)
    assert not fault or "what was there before was not known" in desk.change().reason


def test_a_list_that_changes_while_it_is_read_is_read_again_later(desk):
    many(desk, "tickets")
    desk.queue(*TICKET)
    desk.shop.lag = 60.0
    desk.push("lost after", wait=False)
    desk.shop.lag = 0.0

    def busy(path, page):
        if path == "tickets/updated" and page == 1:
            desk.shop.put("tickets", short_info="Another")

    desk.shop.refuses = busy
    desk.later()
    assert (desk.states(), desk.made("tickets")) == (["in_doubt"], 1)
    assert "changes faster than it can be read" in desk.change().reason
    desk.shop.refuses = lambda path, page: None
    desk.later(6 * HOUR)
    assert (desk.states(), desk.made("tickets")) == (["done"], 1)


def test_an_invoice_with_a_full_page_of_payments_tells_nothing_of_one(desk):
    invoice = desk.shop.invoice(1000)
    for _ in range(50):
        desk.shop.take(invoice, 1)
    desk.pay(invoice)
    desk.push("lost before")
    assert (desk.states(), desk.change().needs_person) == (["in_doubt"], True)
    assert "a full page for the invoice" in desk.change().reason


def test_a_payment_without_a_marker_is_known_by_the_id_that_was_answered(desk):
    desk.pay(desk.shop.invoice(), marker=False)
    desk.push("record after")
    assert (desk.states(), len(desk.shop.tables["payments"])) == (["done"], 1)
    assert "has the id that was answered" in desk.change().reason


def test_a_file_that_may_have_been_sent_before_a_backup_is_left_to_a_person(desk, photo):
    desk.begin()
    desk.queue("tickets", "upload", None, desk.shop.put("tickets", name="Old"), file=photo)
    push_and_put_back(desk)
    desk.later(HOUR, 3)
    assert (desk.states(), desk.shop.count("FILE", "tickets")) == (["in_doubt"], 1)
    assert "nothing lists the files" in desk.change().reason


def test_an_equal_record_is_nobodys_where_no_push_told_the_time_before_a_backup(desk):
    desk.queue(*ANN)
    push_and_put_back(desk)
    desk.later(HOUR, 3)
    assert (desk.states(), desk.made("customers")) == (["in_doubt"], 1)
    assert desk.change().needs_person


def test_an_update_that_cannot_be_read_back_is_believed(desk):
    desk.queue("customers", "update", {"city": "A"}, desk.shop.put("customers", name="Ann"))
    desk.push(hook=at("answered", lambda: desk.shop.read_faults.append(400)))
    assert (desk.states(), desk.shop.count("PUT", "customers")) == (["done"], 1)


def test_lines_that_the_service_keeps_in_its_own_way_are_done(desk):
    line = {"product_code": "A", "quantity": 1, "unit_price": 5}
    record = desk.shop.put("tickets", short_info="Glass", lines=[line])
    desk.shop.edit = lambda name, value: (
        [{**one, "unit_price": 12} for one in value] if name == "lines" else value
    )
    sent = {"productCode": "A", "quantity": 1, "unitPrice": 10}
    desk.queue("tickets", "update", {"lines": [sent]}, record)
    assert desk.push().exit_code == 0
    assert (desk.states(), desk.shop.count("PUT", "tickets")) == (["done"], 1)


@pytest.mark.parametrize("deed", ["changed", "removed"])
def test_a_file_that_is_not_as_it_was_queued_is_not_sent(desk, photo, deed):

    def spoil():
        photo.write_bytes(b"another") if deed == "changed" else photo.unlink()

    for _ in range(2):
        record = desk.shop.put("tickets", name="Old")
        desk.queue("tickets", "upload", None, record, file=photo)
    desk.push("lost before", max_requests=2, wait=False)
    spoil()
    assert desk.states() == ["in_doubt", "queued"]
    assert "will be rejected" in desk.push(dry_run=True).planned[0].waits
    desk.later(HOUR)
    assert (desk.states(), desk.change().needs_person) == (["in_doubt", "rejected"], True)
    assert "could not be sent again" in desk.change().reason
    assert desk.shop.count("FILE", "tickets") == 0


@pytest.mark.parametrize("kind", ["payments", "customers"])
def test_what_is_of_days_before_asks_nobody(desk, kind):
    desk.shop.put("customers", name="Ann")
    invoice = desk.shop.invoice()
    desk.shop.take(invoice, 50)
    desk.shop.clock.ticks += 48 * HOUR
    desk.begin()
    desk.pay(invoice) if kind == "payments" else desk.queue(*ANN)
    desk.back_up()
    desk.put_back()
    desk.later(HOUR, 2)
    assert (desk.states(), desk.made(kind)) == (["done"], 1)


# -- the stamp --------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["[]", "7", "{", ""])
def test_a_spoiled_stamp_is_that_of_no_push(desk, content):
    desk.begin()
    desk.pay(desk.shop.invoice())
    (desk.home / "outbox.watermark").write_text(content)
    desk.later(HOUR, 2)
    assert (desk.states(), desk.made("payments")) == (["done"], 1)
    assert "in doubt" in desk.events()


def test_nothing_is_sent_where_the_stamp_cannot_be_written(desk, monkeypatch):
    desk.queue(*ANN)

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(origin.tempfile, "mkstemp", full)
        report = desk.push()
    assert (report.exit_code, desk.states(), desk.shop.writes) == (2, ["queued"], [])
    assert isinstance(report.errors["main"], QueueBroken)
    assert desk.push().exit_code == 0


def test_a_queue_put_back_on_a_machine_without_a_name_is_a_copy(desk, monkeypatch):
    monkeypatch.setattr(origin, "MACHINE_IDS", ())
    desk.begin()
    desk.queue(*ANN)
    push_and_put_back(desk)
    with pytest.raises(QueueForeign, match="no id tells"):
        desk.push()


# -- what a person is told --------------------------------------------------------------------


def test_each_state_says_what_to_do_next(desk):
    def told(number=1):
        with Outbox(desk.home) as outbox:
            return next_step(outbox, outbox.get(number), {})

    desk.queue(*ANN)
    desk.queue("tickets", "create", {"customerId": "@1", "shortInfo": "Glass"})
    assert desk.retry() == "change 1 (create customers) is queued already."
    steps = list[str]()
    desk.push("lost before", wait=False, hook=at("intent", lambda: steps.append(told())))
    assert steps == ["a push is at it; after a crash it is looked for"]
    assert told().startswith("the next push looks for it")
    assert told(2) == "waits for change 1 (create customers), which is in doubt"
    desk.later()
    assert (told(), desk.states()) == ("", ["done", "done"])
    for deed in (desk.retry, desk.discard):
        with pytest.raises(InputRefused, match="is done and cannot be"):
            deed()
    desk.pay(desk.shop.invoice())
    desk.push("lost before")
    desk.queue("customers", "delete", None, "7")
    assert told(3).endswith(
        "Look at the service: if it was not done, 'queue retry 3' sends it, 'queue discard 3' lets "
        "it be"
    )


@pytest.mark.parametrize("most", [0, 1, 2])
def test_what_a_bound_of_requests_keeps_from_leaving_stays_queued(desk, most):
    for _ in range(2):
        desk.queue("brands", "create", {"name": "Acme"})
    report = desk.push(max_requests=most)
    assert (report.exit_code, len(desk.shop.requests)) == (4, most)
    assert desk.states() == [*["done"] * (most // 2), *["queued"] * (2 - most // 2)]
    assert (desk.change(2).attempts, len(desk.shop.writes)) == (0, most // 2)
    assert desk.push().exit_code == 0
    assert (desk.states(), desk.shop.count("POST", "brands")) == (["done"] * 2, 2)


def test_a_record_that_staff_made_before_ours_was_queued_is_not_ours(desk):
    """A long push reads a short list once for all its creates."""

    def hook(step, number):
        if (step, number) == ("checked", 1):
            desk.shop.put("customers", name="Ann", mobile="5550")
            desk.shop.clock.ticks += 400
            desk.queue("customers", "create", {"name": "Ann", "mobile": "5550"})
        elif (step, number) == ("intent", 2):
            desk.shop.faults.append("lost before")

    desk.queue("customers", "create", {"name": "Bob"})
    desk.push(hook=hook, wait=False)
    desk.later(HOUR, 2)
    assert (desk.states(), desk.made("customers")) == (["done", "in_doubt"], 1)
