"""What proves that a change is there, that it is not, or neither: each condition of it alone."""

import pytest

from tests.outbox.desk import HOUR, at
from tests.outbox.test_looks import in_the_end

pytestmark = pytest.mark.core
ANN = ("customers", "create", {"name": "Ann"})


def answered(desk, answer):
    """Writes are applied, and answered by what ``answer`` makes of the reply."""
    write = desk.shop._write

    def otherwise(*arguments):
        return 200, answer(write(*arguments)[1])

    desk.shop._write = otherwise


# -- answers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        lambda reply: [reply, {"id": "77"}],
        lambda reply: {**reply, "name": "Ann", "city": "Rome"},
    ],
)
def test_an_answer_of_two_records_or_with_another_value_is_looked_into(desk, answer):
    desk.queue("customers", "create", {"name": "Ann", "city": "Xela"})
    answered(desk, answer)
    assert desk.push().exit_code == 0
    assert "in doubt" in desk.events()
    assert (desk.states(), desk.made("customers")) == (["done"], 1)


@pytest.mark.parametrize("words", ['"Too large"', {"message": "Too large"}])
def test_a_file_that_is_answered_by_words_is_not_called_done(desk, words, photo):
    desk.queue("products", "upload", None, desk.shop.put("products", name="Screen"), file=photo)
    write = desk.shop._write
    desk.shop._write = lambda method, path, *more: (
        (200, words) if path.count("/") > 2 else write(method, path, *more)
    )
    desk.push(wait=False)
    assert desk.states() == ["in_doubt"]


def test_an_update_is_done_though_its_record_is_deleted_before_it_is_read_back(desk, record):
    desk.queue("customers", "update", {"mobile": "3"}, record)
    assert desk.push(hook=at("answered", desk.shop.tables["customers"].clear)).exit_code == 0
    assert (desk.states(), desk.events()) == (["done"], ["queued", "sending", "done"])


def test_lines_are_read_back_of_each_update(desk):
    lines = [{"productCode": "A", "quantity": 1}]
    tickets = [desk.shop.put("tickets", short_info="x", lines=[]) for _ in range(2)]
    desk.shop.ignores.add(tickets[1])
    for ticket in tickets:
        desk.queue("tickets", "update", {"lines": lines}, ticket)
    desk.later(HOUR, 5)
    assert desk.states() == ["done", "in_doubt"]


def test_lines_that_no_record_shows_are_done_by_their_answer(desk):
    desk.shop.hidden.add(("tickets", "lines"))
    lines = [{"productCode": "A", "quantity": 1}]
    desk.queue("tickets", "update", {"lines": lines}, desk.shop.put("tickets", short_info="x"))
    assert desk.push().exit_code == 0


# -- records that were made -------------------------------------------------------------------


def test_a_record_whose_name_is_hidden_is_not_taken_for_ours(desk):
    desk.shop.hidden.add(("customers", "name"))
    desk.queue(*ANN)
    desk.push("lost before", hook=at("intent", lambda: desk.shop.put("customers", name="Bob")))
    assert desk.states() == ["in_doubt"]


@pytest.mark.parametrize(("notes", "made"), [("Comes again on Monday", 1), ("", 0)])
def test_a_record_with_other_notes_is_not_the_one_that_was_to_bear_our_marker(desk, notes, made):
    desk.queue(*ANN, marker=True)

    def staff():
        desk.shop.put("customers", name="Ann", comments=notes)

    desk.push("lost before", hook=at("intent", staff))
    assert (desk.states(), desk.made("customers")) == (["done" if made else "in_doubt"], made)


def test_two_records_that_hold_the_marker_are_for_a_person(desk):
    desk.queue(*ANN, marker=True)

    def proxy():
        for _ in range(2):
            desk.shop.put("customers", name="Ann", comments=f"[{desk.change().marker}]")

    desk.push("lost before", hook=at("intent", proxy))
    assert desk.states() == ["in_doubt"]
    assert "hold our marker" in desk.change().reason


def test_a_new_record_that_is_answered_and_bears_no_marker_is_not_ours(desk):
    desk.queue(*ANN, marker=True)
    staff = []
    answered(desk, lambda reply: {"id": staff[0], "warning": "see log"})
    desk.push(hook=at("intent", lambda: staff.append(desk.shop.put("customers", name="Bob"))))
    assert desk.states() == ["done"]
    assert desk.change().id != staff[0]


def test_an_id_of_before_that_is_given_to_ours_is_found_by_its_date(desk):
    old = desk.shop.put("customers", name="Old")
    desk.shop.clock.ticks += HOUR
    desk.queue(*ANN)

    def given_again():
        del desk.shop.tables["customers"][old]
        desk.shop.free_ids.append(old)

    assert desk.push("lost after", hook=at("intent", given_again)).exit_code == 0
    assert (desk.states(), desk.made("customers"), desk.change().id) == (["done"], 1, old)


# -- payments ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["customers", "payments"])
def test_what_ours_made_before_is_not_what_waits_after_a_new_start(desk, kind):
    desk.begin()
    invoice = desk.shop.invoice()
    for _ in range(2):
        desk.queue(*ANN) if kind == "customers" else desk.pay(invoice, 10, marker=False)
        desk.reboot()
        assert desk.push(hook=at("outcome", lambda: desk.shop.clock.sleep(60))).exit_code == 0
    assert (desk.states(), desk.made(kind)) == (["done", "done"], 2)


@pytest.mark.parametrize(
    ("kind", "told"),
    [("customers", "answered that it was done"), ("payments", "none of 1 new payments is ours")],
)
def test_what_another_made_is_not_ours_by_the_id_that_is_answered(desk, kind, told):
    invoice, made = desk.shop.invoice(), []
    desk.queue(*ANN) if kind == "customers" else desk.pay(invoice)
    desk.shop._write = lambda *_: (200, {"id": made[0], "error": "Could not be saved"})

    def staff():
        shop = desk.shop
        given = {"customers": lambda: shop.put("customers", name="Bob"),
                 "payments": lambda: shop.take(invoice, 50, "cash")}  # fmt: skip
        made.append(given[kind]())

    desk.push(hook=at("intent", staff))
    assert desk.states() == ["in_doubt"]
    assert told in desk.change().reason


def test_a_payment_of_two_lines_is_not_proven_by_the_id_of_one(desk):
    lines = [{"amount": amount, "paymentMethod": "1"} for amount in (10, 20)]
    body = {"invoiceId": desk.shop.invoice(), "lines": lines}
    desk.queue("payments", "create", body, marker=False)
    desk.push("warned after")
    assert desk.states() == ["in_doubt"]


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize(
    ("parts", "state"), [((30, 30), "done"), ((60,), "done"), ((30,), "in_doubt")]
)
def test_a_payment_of_two_lines_is_there_with_all_that_it_pays(desk, count, parts, state):
    """A service books it on each of its invoices, or joins its lines."""
    invoices = [desk.shop.invoice() for _ in range(count)]
    lines = [{"amount": amount, "paymentMethod": "1"} for amount in (20, 40)]
    desk.queue("payments", "create", {"invoiceId": invoices, "lines": lines})
    pay = desk.shop._pay

    def split(body):
        note = body["lines"][0]["paymentNote"]
        for invoice, amount in zip(invoices * 2, parts, strict=False):
            line = {"amount": amount, "paymentNote": note}
            last = pay({"invoiceId": invoice, "lines": [line]})
        return last

    desk.shop._pay = split
    desk.push("lost after")
    assert (desk.states(), desk.made("payments")) == ([state], 1)


def test_a_payment_of_several_invoices_is_no_more_than_is_due_of_all(desk):
    invoices = [desk.shop.invoice(40) for _ in range(2)]
    for amount in (80, 1):
        desk.queue(
            "payments",
            "create",
            {"invoiceId": invoices, "lines": [{"amount": amount, "paymentMethod": "1"}]},
        )
    desk.push()
    assert desk.states() == ["done", "conflict"]


# -- records that were there ------------------------------------------------------------------


@pytest.mark.parametrize("is_new_start", [False, True])
def test_a_delete_that_was_lost_is_sent_again_whatever_is_known_of_dates(desk, is_new_start):
    record = desk.shop.put("customers", name="Cid")
    desk.queue("customers", "delete", None, record)
    if is_new_start:
        desk.reboot()  # nothing was pushed before, so nobody knows since when
    else:
        desk.shop.hidden.add(("customers", "created_date"))
    assert desk.push("lost before").exit_code == 0
    assert (desk.states(), desk.shop.count("DELETE", "customers")) == (["done"], 1)


def test_what_was_approved_and_cannot_be_checked_is_tried_again(desk, record):
    desk.queue("customers", "update", {"mobile": "3"}, record)
    desk.push(*["lost before"] * 3)
    assert desk.change().needs_person
    desk.retry()
    desk.shop.read_faults.extend([0, *[500] * 3])
    desk.push(wait=False)
    assert desk.states() == ["in_doubt"]
    assert desk.later().exit_code == 0
    assert desk.states() == ["done"]


def test_a_key_that_is_refused_as_a_write_leaves_ends_the_push_and_leaves_it_in_doubt(desk):
    desk.begin()
    desk.queue("stock", "create", {"product": "7", "quantity": 2})

    def revoke():
        desk.shop.refuses = lambda path, page: (401, {"error": "Unauthorized"})
        desk.shop._write = lambda *_: (401, {"error": "Unauthorized"})

    report = desk.push(hook=at("intent", revoke), wait=False)
    assert (report.exit_code, desk.states()) == (3, ["in_doubt"])


def test_a_conflict_after_a_lost_answer_is_looked_for_before_ours_goes_over_it(desk, record):
    row = desk.shop.tables["customers"][record]
    desk.queue("customers", "update", {"mobile": "3"}, record)
    desk.push("lost before", hook=at("looked", lambda: row.update(mobile="9")))
    assert desk.states() == ["conflict"]
    row["mobile"] = "3"  # it came late, or staff typed the same
    desk.push(on_conflict="ours")
    assert (desk.states(), desk.shop.count("PUT", "customers")) == (["done"], 0)


def test_notes_that_a_detail_hides_are_read_in_the_list(desk):
    desk.shop.hidden.add(("ticketInvoices", "payments"))
    desk.pay(desk.shop.invoice())
    desk.push("lost after")
    assert desk.states() == ["done"]


def test_a_marker_that_details_alone_show_is_found(desk):
    desk.shop.hidden.add(("customers", "comments"))
    desk.queue("customers", "create", {"name": "Ann"}, marker=True)
    records = desk.shop.tables["customers"]
    desk.shop.refuses = lambda path, page: (
        (200, records[path[10:]]) if path[10:] in records and not page else None
    )
    desk.shop.faults.append("lost after")
    assert in_the_end(desk) == ("done", 1)


def test_a_list_shows_what_a_push_made_in_the_same_second(desk):
    """The service tells whole seconds, so what was sent before seems to be sent after."""
    for fault in ("", "lost before"):
        desk.queue("brands", "create", {"name": "Acme" + fault})
        assert desk.push(fault).exit_code == 0
    assert (desk.states(), desk.made("brands")) == (["done", "done"], 2)
