"""Customers, leads, appointments and the time clock."""

from datetime import datetime, timedelta

from sandbox.errors import Refusal
from sandbox.resources import BLANK
from sandbox.routes import Call
from sandbox.values import iso_in, parse_day
from sandbox.writes.common import (
    CUSTOMER,
    NAMED,
    OF_STAFF,
    OF_TICKET,
    STAFF,
    TICKET,
    Body,
    References,
    Writes,
    in_order,
    label,
    mapped,
    moments,
    reference,
    references,
    renamed,
    shown_as,
)
from sandbox.writes.tickets import new_ticket

_CUSTOMER = shown_as(
    "name company VATRegistration=vat_registration_number email invoiceemail telephone=phone "
    "mobile countryCode group latitude longitude gender referredBy accountManager paymentTermDays "
    "comments gdprCompliant subSmsService subPrintMedia subEmailMarketing subEmailNotifications "
    "IntraCommunity vatExemption tax creditlimit=credit_limit"
)


def _country(call: Call) -> str:
    """The shop's country code, or GB (specification, Customer, countryCode)."""
    info = call.store.first("info", "1", ()) or {}
    return str(info.get("country_code") or "GB")


def _country_of_mobile(call: Call, body: Body) -> Body:
    is_left_out = "mobile" in body and "countryCode" not in body
    return {"country_code": _country(call)} if is_left_out else {}


def _customer_changes(call: Call, body: Body, before: Body) -> Body:
    changes = mapped(body, _CUSTOMER) | _country_of_mobile(call, body)
    if "dateOfBirth" in body:
        changes["date_of_birth"] = parse_day(body["dateOfBirth"]).isoformat()
    if "tax" in body:
        reference(call, "tax", "tax_rates", body["tax"], NAMED)
    if "name" in body:
        first, _, last = body["name"].strip().partition(" ")
        changes["name_parts"] = {"first_name": first, "middle_name": "", "last_name": last}
    address = dict(before.get("fulladdress") or {})
    address |= {name: body[name] for name in ("address", "city") if name in body}
    if address != (before.get("fulladdress") or {}):
        changes["fulladdress"] = {"address": "", "city": "", "post_code": "", **address}
        changes["fulladdress"].setdefault("country", changes.get("country_code") or "")
    return changes


def _customer(call: Call, body: Body) -> Body:
    serial = call.store.next_number("customer_ref", call.store.count("customers") + 1)
    return {
        "country_code": _country(call),
        "ref": f"C{serial:06d}",
        "internal_id": serial,
        **_customer_changes(call, body, {}),
    }


_LEAD = shown_as(
    "name businessName telephone mobile countryCode email address gdprCompliant subject "
    "description referredBy"
)


def _lead_changes(call: Call, body: Body, before: Body) -> Body:
    changes = mapped(body, _LEAD) | _country_of_mobile(call, body)
    if "issueType" in body:
        changes["issue_type"] = label(call, "issueType", "issue_types", body["issueType"])
    return changes | references(call, body, OF_STAFF)


_OTHERS: References = {
    "customer": ("customer", "customers", CUSTOMER),
    "leads": ("lead", "leads", NAMED),
    **OF_TICKET,
}
_APPOINTMENT = shown_as("subject description type color location latitude longitude duration")


def _appointment_changes(call: Call, body: Body, before: Body) -> Body:
    changes = mapped(body, _APPOINTMENT)
    changes |= references(call, body, _OTHERS)
    if "attendees" in body:
        ids = [part.strip() for part in str(body["attendees"]).split(",") if part.strip()]
        changes["attendees"] = [reference(call, "attendees", "users", i, STAFF) for i in ids]
    changes |= moments(call, body, {"dateandtime": "start_date"})
    if "dateandtime" in body or "duration" in body:
        start = datetime.fromisoformat(changes.get("start_date") or before["start_date"])
        minutes = float(changes.get("duration") or before.get("duration") or 10)
        if minutes > _LONGEST_MINUTES:
            raise Refusal("duration must not be longer than a year.")
        try:
            changes["end_date"] = iso_in(start + timedelta(minutes=minutes), call.store.zone)
        except OverflowError as error:
            raise Refusal("dateandtime lies beyond the calendar.") from error
    return changes


_LONGEST_MINUTES = 366 * 24 * 60


def _appointment(call: Call, body: Body) -> Body:
    if "presetId" in body:
        reference(call, "presetId", "presets", body["presetId"], NAMED)
    record = {**BLANK["appointments"], **_appointment_changes(call, body, {})}
    if body.get("createticket") and record["ticket"] is None:
        if record["customer"] is None:
            raise Refusal("createticket needs a customer. Please send its id.")
        wanted = {"customerId": record["customer"]["id"], "shortInfo": body["subject"]}
        if "presetId" in body:
            wanted["presetId"] = body["presetId"]
        ticket_id = call.store.insert("tickets", new_ticket(call, wanted))
        record["ticket"] = reference(call, "ticket", "tickets", ticket_id, TICKET)
    return record


def _clock_changes(call: Call, body: Body, before: Body) -> Body:
    changes = mapped(body, {"inNotes": "in_notes", "OutNotes": "out_notes"})
    changes |= moments(call, body, {"inDate": "in_date", "OutDate": "out_date"})
    in_order(changes, before, "in_date", "out_date")
    return changes | references(call, body, OF_STAFF)


PEOPLE = (
    Writes("customers", _customer_changes, _customer, updated=renamed("customers")),
    Writes("leads", _lead_changes),
    Writes("appointments", _appointment_changes, _appointment),
    Writes("time_clock", _clock_changes),
)
"""Writes of people and their time."""
