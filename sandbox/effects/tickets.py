"""Tickets with their status, discount, lines, invoice and its payments, every amount in whole
cents; comments touch their ticket."""

from datetime import datetime
from decimal import Decimal

from sandbox.calls import Answer, Call, Refusal
from sandbox.resources import PRIORITIES, RESOURCES, at, due, short
from sandbox.values import iso_in, parse_day
from sandbox.writing import (
    CENT,
    KEEPS,
    Body,
    Effects,
    all_named,
    checked,
    exact,
    moment,
    money,
    named,
)

ZERO = Decimal("0.00")
_OF_LINE: Body = {"quantity": exact, "unit_price": money, "item_description": str}
"""What is taken of a line that is sent, and how it is kept."""


def _new(call: Call, body: Body) -> Body:
    """What a new ticket has that its body does not say."""
    highest = "SELECT max(CAST(ticket_no AS INTEGER)) FROM r_tickets WHERE shop = ?"
    last = int(call.store.database.one(highest, call.store.shop)[0] or 10_000)
    serial = call.store.next_number("ticket_no", last + 1)
    first = call.store.first("statuses", "json_extract(doc, '$.type') = 'repair'", ()) or {}
    record: Body = {
        "ticket_ref": f"T-{serial}",
        "ticket_no": str(serial),
        "description": body.get("issueDescription", ""),
        "work_approved": bool(body.get("workApproved", False)),
        **_status(call, body.get("status", first.get("id", "New"))),
    }
    if "preDiagnosed" in body:
        record["pre_diagnosed"] = body["preDiagnosed"]
    if "createdDate" in body:
        record["created_date"] = _on_day(call, body["createdDate"])
    return record


def _on_day(call: Call, text: str) -> str:
    """The day sent, at the time of day it is now in the shop."""
    day, now = parse_day(text).isoformat(), call.store.now_text()
    if day == now[:10]:
        return now
    return iso_in(datetime.fromisoformat(f"{day}T{now[11:19]}"), call.store.zone)


def _status(call: Call, value: object) -> Body:
    known = named(call, "tickets", "status", value)
    in_pipeline = bool(known.get("in_pipeline", True))
    return {"status": short(known, "statuses"), "_in_pipeline": in_pipeline}


def _changes(call: Call, body: Body, record: Body) -> Body:
    changes: Body = {}
    if "customerId" in body:  # an id or a name
        known = named(call, "tickets", "customerId", body["customerId"])
        changes["customer"] = short(known, "customers")
    if "status" in body:
        changes |= _status(call, body["status"])
    if "priority" in body:
        wanted = str(body["priority"])
        changes["priority"] = PRIORITIES[int(wanted)] if wanted.isdecimal() else wanted
    if "deviceModelId" in body:
        # The device that a model of /models names; the shop writes it ``brand model|year``.
        model = named(call, "tickets", "deviceModelId", body["deviceModelId"])
        device = f"{model['make'] or ''} {model['model'] or ''}".strip()
        changes |= {"device_model_id": str(model["id"]), "device": device}
    changes |= _discount(call, body, {**record, **changes})
    return changes | _lines(call, body, {**record, **changes})


def _discount(call: Call, body: Body, ticket: Body) -> Body:
    """Discount of the ticket; with the group's, the one sent is ignored."""
    if body.get("customerGroupDiscount"):
        customer = call.store.get("customers", at(ticket, "customer.id")) or {}
        groups = call.store.called("groups", customer.get("group") or "")
        percent = Decimal(groups[0].get("discount") or 0) if groups else Decimal(0)
        return {"_group_percent": percent, "discount_level": "gross"}
    changes: Body = {}
    if "customerGroupDiscount" in body:
        changes["_group_percent"] = Decimal(0)
        if ticket.get("_group_percent"):
            changes["discount"] = ZERO  # what the group took off goes with it
    if "discount" in body:
        changes |= {"discount": money(body["discount"]), "_group_percent": Decimal(0)}
    if "discountLevel" in body:
        changes["discount_level"] = body["discountLevel"]
    return changes


def _lines(call: Call, body: Body, ticket: Body) -> Body:
    lines: list[Body] = list(ticket.get("lines") or [])
    if "lines" in body:  # presetId is ignored when lines is supplied
        kept = RESOURCES["tickets"].field_of
        sent = [{kept(name): value for name, value in one.items()} for one in body["lines"]]
        lines = _upsert(call, lines, sent)
    elif "presetId" in body:
        preset = named(call, "tickets", "presetId", body["presetId"])
        lines = _upsert(call, lines, preset.get("lines") or [])
    if not {"lines", "presetId", "discount", "discountLevel", "customerGroupDiscount"} & set(body):
        return {} if "amount_total" in ticket else {"amount_total": ZERO}
    percent = Decimal(ticket.get("_group_percent") or 0)
    discount = Decimal(ticket.get("discount") or 0)
    if percent:
        whole = sum((Decimal(one["quantity"]) * Decimal(one["unit_price"]) for one in lines), ZERO)
        discount = money(whole * percent / 100)
    done, total = _priced(call, lines, discount, str(ticket.get("discount_level") or "gross"))
    return {"lines": done, "amount_total": total, "discount": discount}


def _rate(call: Call, code: str | None) -> Decimal:
    """Per cent of a product's tax; none when there is no such product."""
    product = call.store.first("products", "code = ?", (code,)) or {}
    tax = call.store.get("tax_rates", product.get("tax")) or {}
    return Decimal(tax.get("value") or 0)


def _upsert(call: Call, lines: list[Body], sent: list[Body]) -> list[Body]:
    """Take over lines: one whose product code is there already is updated, others are added."""
    merged = [dict(line) for line in lines]
    for one in sent:
        code = one["product_code"]
        known = next((line for line in merged if line.get("product_code") == code), None)
        if known is None:
            merged.append(known := _new_line(call, code))
        known |= {name: read(one[name]) for name, read in _OF_LINE.items() if name in one}
    return merged


def _new_line(call: Call, code: str) -> Body:
    product = call.store.first("products", "code = ?", (code,))
    if product is None:
        raise Refusal(f"lines: productCode '{code}' does not exist. Please check the product.")
    return {
        "id": call.store.next_number("line", 1_000_000),
        "product_code": code,
        "item_description": product.get("name", ""),
        "quantity": 1,
        "unit_price": money(at(product, "prices.retail_price") or 0),
    }


def _priced(
    call: Call, lines: list[Body], discount: Decimal, level: str
) -> tuple[list[Body], Decimal]:
    """Fill discount, tax and total of each line; gives them and their sum.

    A discount is an amount, shared out over the lines by their value: before tax at level
    ``gross``, tax included at level ``grand``.
    """
    nets = [money(Decimal(line["quantity"]) * Decimal(line["unit_price"])) for line in lines]
    rates = [_rate(call, line.get("product_code")) for line in lines]
    whole = sum(nets, ZERO)
    if discount and level == "grand":
        taxed = sum((net * (100 + rate) / 100 for net, rate in zip(nets, rates, strict=True)), ZERO)
        discount = money(discount * whole / taxed) if taxed else ZERO
    discount = max(ZERO, min(discount, whole))
    left = discount
    done: list[Body] = []
    for place, (line, net, rate) in enumerate(zip(lines, nets, rates, strict=True)):
        last = place == len(lines) - 1
        share = left if last else money(discount * net / whole) if whole else ZERO
        left -= share
        tax = ((net - share) * rate / 100).quantize(CENT)
        done.append({**line, "discount": share, "tax": tax, "total": net - share + tax})
    return done, sum((line["total"] for line in done), ZERO)


def _invoice(call: Call, body: Body, _before: Body | None, ticket: Body | None) -> None:
    """Create the ticket's invoice, or bring the one there is up to date (createInvoice)."""
    if ticket is None or not body.get("createInvoice"):
        return
    lines = ticket.get("lines") or []
    fields: Body = {
        "ticket": short(ticket, "tickets"),
        "ticket_no": ticket.get("ticket_no"),
        "ticket_short_info": ticket.get("short_info", ""),
        "customer": ticket.get("customer"),
        "lines": lines,
        "amount_total": sum((Decimal(line["total"]) for line in lines), ZERO),
        "tax_total": sum((Decimal(line["tax"]) for line in lines), ZERO),
    }
    for name, field in (("invoiceDate", "created_date"), ("invoiceDueDate", "due_date")):
        if name in body:
            fields[field] = moment(call, body[name])
    known = call.store.first("ticket_invoices", "ticket_id = ?", (str(ticket["id"]),))
    if known is not None:
        call.store.update("ticket_invoices", known["id"], fields)
        return
    serial = call.store.next_number("invoice", 20_001 + call.store.count("ticket_invoices"))
    created = fields.get("created_date", call.store.now_text())
    blank = {"number": f"INV-{serial}", "notes": "", "created_date": created, "due_date": created}
    call.store.insert("ticket_invoices", {**blank, **fields})


def _touched(call: Call, _body: Body, _before: Body | None, comment: Body | None) -> None:
    if comment is not None:
        call.store.update("tickets", comment["ticket"]["id"], {})


TICKET = Effects(_changes, _new, after=_invoice)
TICKETS = {"tickets": TICKET, "ticket_comments": Effects(after=_touched)}


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


def _shares(dues: list[Decimal], amount: Decimal) -> list[tuple[int, Decimal]]:
    """Split an amount over the invoices and count it off what is due on each."""
    shares: list[tuple[int, Decimal]] = []
    last = len(dues) - 1
    for place in range(len(dues)):
        part = amount if place == last else max(Decimal(0), min(amount, dues[place]))
        if part or (place == last and not shares):
            shares.append((place, part))
            dues[place] -= part
            amount -= part
    return shares
