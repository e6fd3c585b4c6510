"""What is due of an invoice before a payment is sent, and who is asked when it is less."""

import pytest

from tests.outbox.desk import DAY

pytestmark = pytest.mark.core


@pytest.mark.parametrize(("taken", "told"), [(100, "is Paid"), (60, "40.00 is due")])
def test_a_payment_that_the_till_took_meanwhile_is_a_conflict(desk, taken, told):
    invoice = desk.shop.invoice(100)
    desk.pay(invoice, 50)
    desk.shop.take(invoice, taken)
    assert desk.push().exit_code == 1
    assert (desk.states(), desk.made("payments")) == (["conflict"], 0)
    assert told in desk.change().reason and desk.change().reason.endswith("meanwhile?")
    for choice in ("ours", "theirs"):
        desk.push(on_conflict=choice)
    assert desk.states() == ["conflict"], "money asks for a word of its own"
    desk.retry()
    if taken == 60:
        desk.shop.take(invoice, 40)
        desk.push()
        assert desk.states() == ["conflict"], "more was paid than was approved over"
        desk.retry()
    desk.push()
    assert (desk.states(), desk.made("payments")) == (["done"], 1)


@pytest.mark.parametrize(
    ("shown", "state"),
    [
        ({"status": "Pendiente"}, "done"),
        ({"status": {"id": 4, "label": "Facturado"}}, "done"),
        ({"status": "Unpaid"}, "done"),
        ({"status": "Partially Paid"}, "done"),
        ({"status": ""}, "done"),
        ({"status": "", "amount_total": None}, "done"),
        ({"status": "Due", "amount_total": None}, "done"),
        ({"status": "Facturado", "amount_total": None, "balance": "Q50.00"}, "done"),
        ({"status": "Due", "balance": 20}, "conflict"),
        ({"status": "Facturado", "amount_paid": "80.00"}, "conflict"),
        ({"status": "Paid"}, "conflict"),
        ({"status": "Paid in full", "amount_total": None}, "conflict"),
        ({"status": "Facturado", "amount_total": None}, "conflict"),
    ],
    ids=str,
)
def test_amounts_say_what_is_due_and_words_only_where_there_are_none(desk, shown, state):
    invoice = desk.shop.invoice(100)
    desk.shop.tables["ticketInvoices"][invoice] |= shown
    desk.pay(invoice, 50)
    desk.push()
    assert desk.states() == [state]
    desk.retry() if state == "conflict" else None
    desk.push()
    assert desk.states() == ["done"]


@pytest.mark.parametrize("amount", [-20, 100])
def test_a_payment_that_is_due_and_a_refund_are_booked(desk, amount):
    invoice = desk.shop.invoice(100)
    if amount < 0:
        desk.shop.take(invoice, 100)
    desk.pay(invoice, amount)
    assert desk.push().exit_code == 0


@pytest.mark.parametrize("lag", [0, 30, 600])
@pytest.mark.parametrize("is_marked", [True, False])
def test_what_we_booked_ourselves_is_paid_though_the_service_does_not_show_it_yet(
    desk, lag, is_marked
):
    invoice = desk.shop.invoice(100)
    desk.shop.take(invoice, 10)
    desk.shop.clock.ticks += DAY
    desk.shop.lag = lag
    for amount in (60, 60, 30):
        desk.pay(invoice, amount, marker=is_marked)
    assert desk.push().exit_code == 1
    assert desk.states() == ["done", "conflict", "done"]
    assert "30.00 is due, and the payment is 60.00" in desk.change(2).reason
    desk.shop.clock.ticks += DAY
    desk.discard(2)
    assert desk.push().exit_code == 0


def keyed(desk, invoice, key, *amounts):
    """A payment whose row has a key of its own."""
    lines = [{"amount": amount, "paymentMethod": "1"} for amount in amounts]
    row = {"receipt": key, "invoiceId": invoice, "lines": lines}
    desk.queue("payments", "create", row, key="receipt")


@pytest.mark.parametrize("lines", [1, 2])
@pytest.mark.parametrize("missing", [0, 1])
def test_a_row_that_was_booked_by_another_queue_is_not_booked_again(desk, lines, missing):
    desk.begin()
    invoice = desk.shop.invoice()
    desk.back_up()

    keyed(desk, invoice, "55", *[5] * lines)
    desk.push()
    for payment in list(desk.shop.tables["payments"])[:missing]:
        del desk.shop.tables["payments"][payment]
    desk.put_back()
    keyed(desk, invoice, "055", *[5] * lines)
    keyed(desk, invoice, "56", *[5] * lines)
    desk.push()
    told = "in_doubt" if lines > missing > 0 else "done"
    assert desk.states()[0] == told
    assert desk.made("payments") == 2 + (lines == missing) - (told == "in_doubt")
    if told == "in_doubt":
        assert "1 of 2 lines are booked" in desk.change().reason
        desk.retry()
        desk.push()
        assert (desk.states(), desk.made("payments")) == (["done"] * 2, 3)


def test_a_key_that_another_queue_booked_otherwise_is_a_question(desk):
    desk.begin()
    invoice = desk.shop.invoice()
    desk.back_up()

    keyed(desk, invoice, "55", 5)
    desk.push()
    desk.put_back()
    keyed(desk, invoice, "55", 7)
    desk.push()
    assert (desk.states(), desk.made("payments")) == (["in_doubt"], 1)
    assert "holds our marker and is 5.00, not 7.00" in desk.change().reason
    desk.retry()
    desk.push()
    assert (desk.states(), desk.made("payments")) == (["done"], 2)
