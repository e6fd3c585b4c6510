"""Tickets with their lines and invoices, comments and timers."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from sandbox.errors import Refusal
from sandbox.lists import PRIORITIES
from sandbox.resources import BLANK, at
from sandbox.routes import Call, found
from sandbox.values import iso_in, parse_day
from sandbox.writes.common import (
    CUSTOMER,
    OF_STAFF,
    OF_TICKET,
    STAFF,
    TICKET,
    Body,
    Writes,
    in_order,
    label,
    mapped,
    moments,
    money,
    named_by,
    reference,
    references,
    short,
)
from sandbox.writes.lines import ZERO, priced, upsert


def new_ticket(call: Call, body: Body) -> Body:
    """Make the record of a ticket from a checked body."""
    serial = call.store.next_number("ticket_no", _highest_ticket(call) + 1)
    record: Body = {
        **BLANK["tickets"],
        "ticket_ref": f"T-{serial}",
        "ticket_no": str(serial),
        "description": body.get("issueDescription", ""),
        "status": label(call, "status", "statuses", body.get("status", "New"), "repair"),
        "work_approved": bool(body.get("workApproved", False)),
    }
    if "preDiagnosed" in body:
        record["pre_diagnosed"] = body["preDiagnosed"]
    if "createdDate" in body:
        record["created_date"] = _on_day(call, body["createdDate"])
    return {**record, **_changes(call, body, record)}


def _on_day(call: Call, text: str) -> str:
    """The day sent, at the time of day it is now in the shop."""
    day, now = parse_day(text).isoformat(), call.store.now_text()
    if day == now[:10]:
        return now
    return iso_in(datetime.fromisoformat(f"{day}T{now[11:19]}"), call.store.zone)


def _highest_ticket(call: Call) -> int:
    highest = "SELECT max(CAST(ticket_no AS INTEGER)) FROM r_tickets WHERE shop = ?"
    return int(call.store.database.one(highest, call.store.shop)[0] or 10_000)


def _changes(call: Call, body: Body, before: Body) -> Body:
    changes = mapped(body, {"shortInfo": "short_info", "tax": "tax"})
    if "customerId" in body:
        changes["customer"] = _customer(call, body["customerId"])
    if "status" in body:
        changes["status"] = label(call, "status", "statuses", body["status"], "repair")
    status = changes.get("status") or before.get("status")
    if status is not None:
        known = call.store.get("statuses", status["id"]) or {}
        changes["_in_pipeline"] = bool(known.get("in_pipeline", True))
    if "priority" in body:
        wanted = str(body["priority"])
        changes["priority"] = PRIORITIES[int(wanted)] if wanted.isdecimal() else wanted
    if "issueType" in body:
        changes["issue_type"] = label(call, "issueType", "issue_types", body["issueType"])
    if "deviceModelId" in body:
        changes |= _device(call, body["deviceModelId"])
    changes |= moments(call, body, {"dueDate": "due_date"})
    changes |= references(call, body, {"userId": ("technician", "users", STAFF)})
    changes |= _discount(call, body, {**before, **changes})
    return changes | _lines(call, body, {**before, **changes})


def _device(call: Call, value: Any) -> Body:
    """The device that a model of /models names; the shop writes it ``brand model|year``."""
    model = reference(call, "deviceModelId", "models", value, ("id", "make", "model"))
    return {
        "device_model_id": str(model["id"]),
        "device": f"{model['make'] or ''} {model['model'] or ''}".strip(),
    }


def _customer(call: Call, value: Any) -> Body:
    """By id, or by name (specification, Ticket, customerId)."""
    found = call.store.called("customers", value, "name")
    if not found:
        raise Refusal(f"customerId '{value}' is no customer's id or name. Please check it.")
    return short(found[0], CUSTOMER)


def _discount(call: Call, body: Body, ticket: Body) -> Body:
    """Discount of the ticket; with the group's, the one sent is ignored."""
    if body.get("customerGroupDiscount"):
        customer = call.store.get("customers", at(ticket, "customer.id")) or {}
        group = call.store.first(
            "groups", "json_extract(doc, '$.name') = ?", (customer.get("group"),)
        )
        percent = Decimal((group or {}).get("discount") or 0)
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
        lines = upsert(call, lines, body["lines"])
    elif "presetId" in body:
        preset = named_by(call, "presetId", "presets", body["presetId"])
        sent = [
            {
                "productCode": line["product_code"],
                "quantity": line["quantity"],
                "unitPrice": line["unit_price"],
                "itemDescription": line["item_description"],
            }
            for line in preset.get("lines") or []
        ]
        lines = upsert(call, lines, sent)
    if not {"lines", "presetId", "discount", "discountLevel", "customerGroupDiscount"} & set(body):
        return {} if "amount_total" in ticket else {"amount_total": ZERO}
    percent = Decimal(ticket.get("_group_percent") or 0)
    discount = Decimal(ticket.get("discount") or 0)
    if percent:
        whole = sum((Decimal(one["quantity"]) * Decimal(one["unit_price"]) for one in lines), ZERO)
        discount = money(whole * percent / 100)
    done, total = priced(call, lines, discount, str(ticket.get("discount_level") or "gross"))
    return {"lines": done, "amount_total": total, "discount": discount}


def _invoice(call: Call, body: Body, ticket: Body) -> None:
    """Create the ticket's invoice, or bring the one there is up to date (createInvoice)."""
    if not body.get("createInvoice"):
        return
    ticket = found(call.store, "tickets", ticket["id"])
    lines = ticket.get("lines") or []
    fields: Body = {
        "ticket": short(ticket, TICKET),
        "ticket_no": ticket.get("ticket_no"),
        "ticket_short_info": ticket.get("short_info", ""),
        "customer": ticket.get("customer"),
        "lines": lines,
        "amount_total": sum((Decimal(line["total"]) for line in lines), ZERO),
        "tax_total": sum((Decimal(line["tax"]) for line in lines), ZERO),
    }
    fields |= moments(call, body, {"invoiceDate": "created_date", "invoiceDueDate": "due_date"})
    known = call.store.first("ticket_invoices", "ticket_id = ?", (str(ticket["id"]),))
    if known is not None:
        call.store.update("ticket_invoices", known["id"], fields)
        return
    serial = call.store.next_number("invoice", 20_001 + call.store.count("ticket_invoices"))
    fields.setdefault("created_date", call.store.now_text())
    fields.setdefault("due_date", fields["created_date"])
    call.store.insert(
        "ticket_invoices", {"number": f"INV-{serial}", "notes": "", "returns": [], **fields}
    )


def _comment(call: Call, body: Body, before: Body) -> Body:
    ticket = reference(call, "ticket", "tickets", body["ticket"], TICKET)
    call.store.update("tickets", ticket["id"], {})
    return {
        "ticket": ticket,
        "status": label(call, "status", "statuses", body["status"], "repair_notes"),
        "type": body["type"],
        "comment": body["comment"],
    }


def _timer_changes(call: Call, body: Body, before: Body) -> Body:
    changes = mapped(body, {"notes": "notes"})
    changes |= moments(call, body, {"startDate": "start_date", "endDate": "end_date"})
    in_order(changes, before, "start_date", "end_date")
    return changes | references(call, body, {**OF_STAFF, **OF_TICKET})


TICKETS = (
    Writes("tickets", _changes, new_ticket, _invoice, _invoice),
    Writes("ticket_comments", _comment, methods=("POST",)),
    Writes("ticket_timers", _timer_changes),
)
"""Writes of tickets and what hangs on them."""
