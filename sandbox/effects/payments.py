"""POST /payments: money for one ticket invoice or several, which turns Due into Paid."""

from decimal import Decimal

from sandbox.calls import Answer, Call
from sandbox.errors import Refusal
from sandbox.values import cents
from sandbox.writing import KEEPS, Body, checked, moment, money, named_by


def pay(call: Call) -> Answer:
    """Take the payment lines; answers with the id of the first payment.

    Several invoices are settled in the order sent, each up to what is due; what is left over goes
    to the last one.
    """
    body = checked(call, "payments", "create")
    with call.store.database.writing():
        ids = body["invoiceId"] if isinstance(body["invoiceId"], list) else [body["invoiceId"]]
        invoices = [
            named_by(call, "invoiceId", "ticket_invoices", one)
            for one in dict.fromkeys(map(str, ids))
        ]
        date = moment(call, body["paymentDate"]) if "paymentDate" in body else call.store.now_text()
        due = [_due(invoice) for invoice in invoices]
        made: list[str] = []
        keep = KEEPS[call.quirks.keeps]
        for line in body["lines"]:
            method = _method(call, line["paymentMethod"])
            for place, amount in _shares(due, money(line["amount"])):
                payment = {
                    "amount": amount,
                    "date": date,
                    "payment_method": method,
                    "payment_note": keep(line.get("paymentNote", "")),
                    "is_advance": bool(line.get("isAdvance", False)),
                    "_kind": "invoice",
                }
                made.append(call.store.pay("ticket_invoices", invoices[place], payment))
        for invoice in invoices:
            note = {"notes": body["invoiceNote"]} if "invoiceNote" in body else {}
            call.store.update("ticket_invoices", invoice["id"], note)
            ticket = (invoice.get("ticket") or {}).get("id")
            if ticket is not None and call.store.get("tickets", ticket) is not None:
                call.store.update("tickets", ticket, {})
    return Answer({"id": int(made[0])}, 201)


def _method(call: Call, value: str) -> str:
    found = call.store.called("payment_methods", value)
    if not found:
        raise Refusal(f"paymentMethod '{value}' does not exist. Please check /paymentMethods.")
    return str(found[0]["title"])


def _due(invoice: Body) -> Decimal:
    paid = sum(cents(payment["amount"]) for payment in invoice["payments"])
    back = sum(cents(one["amount"]) for one in invoice.get("returns") or [])
    return Decimal(cents(invoice["amount_total"]) - back - paid).scaleb(-2)


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
