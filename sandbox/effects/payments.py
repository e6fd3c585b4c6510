"""POST /payments: money for one ticket invoice or several, which turns Due into Paid."""

from decimal import Decimal

from sandbox.calls import Answer, Call
from sandbox.resources import at, due
from sandbox.writing import KEEPS, all_named, checked, moment, money, named


def pay(call: Call) -> Answer:
    """Take the payment lines; answers with the id of the first payment.

    Several invoices are settled in the order sent, each up to what is due; what is left over goes
    to the last one.
    """
    body = checked(call, "payments", "create")
    store, keep = call.store, KEEPS[call.quirks.keeps]
    with store.database.writing():
        invoices = all_named(call, "payments", "invoiceId", body["invoiceId"])
        date = moment(call, body["paymentDate"]) if "paymentDate" in body else store.now_text()
        left = [Decimal(due(invoice)).scaleb(-2) for invoice in invoices]
        made: list[str] = []
        for line in body["lines"]:
            method = named(call, "payment_line", "paymentMethod", line["paymentMethod"])
            for place, amount in _shares(left, money(line["amount"])):
                payment = {
                    "amount": amount,
                    "date": date,
                    "payment_method": method["title"],
                    "payment_note": keep(line.get("paymentNote", "")),
                    "is_advance": bool(line.get("isAdvance", False)),
                    "_kind": "invoice",
                }
                made.append(store.pay("ticket_invoices", invoices[place], payment))
        for invoice in invoices:
            note = {"notes": body["invoiceNote"]} if "invoiceNote" in body else {}
            store.update("ticket_invoices", invoice["id"], note)
            ticket = store.get("tickets", at(invoice, "ticket.id"))
            if ticket is not None:
                store.update("tickets", ticket["id"], {})
    return Answer({"id": int(made[0])}, 201)


def _shares(due: list[Decimal], amount: Decimal) -> list[tuple[int, Decimal]]:
    """Split an amount over the invoices and count it off what is due on each."""
    shares: list[tuple[int, Decimal]] = []
    last = len(due) - 1
    for place in range(len(due)):
        part = amount if place == last else max(Decimal(0), min(amount, due[place]))
        if part or (place == last and not shares):
            shares.append((place, part))
            due[place] -= part
            amount -= part
    return shares
