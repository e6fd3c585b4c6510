"""Customers, leads and appointments."""

from datetime import datetime, timedelta

from sandbox.calls import Call, Refusal
from sandbox.effects.tickets import TICKET
from sandbox.resources import short
from sandbox.values import iso_in
from sandbox.writing import Body, Effects, all_named, made, named

_LONGEST_MINUTES = 366 * 24 * 60


def _country(call: Call) -> str:
    """The shop's country code, or GB (specification, Customer, countryCode)."""
    info = call.store.first("info", "1", ()) or {}
    return str(info.get("country_code") or "GB")


def _country_of_mobile(call: Call, body: Body, record: Body) -> Body:
    is_left_out = "mobile" in body and "countryCode" not in body
    return {"country_code": _country(call)} if is_left_out else {}


def _customer_changes(call: Call, body: Body, record: Body) -> Body:
    changes = _country_of_mobile(call, body, record)
    if "name" in body:
        first, _, last = body["name"].strip().partition(" ")
        changes["name_parts"] = {"first_name": first, "middle_name": "", "last_name": last}
    sent = {name: body[name] for name in ("address", "city") if name in body}
    if sent:
        country = changes.get("country_code") or record.get("country_code") or ""
        blank = {"address": "", "city": "", "post_code": "", "country": country}
        changes["fulladdress"] = {**blank, **(record.get("fulladdress") or {}), **sent}
    return changes


def _new_customer(call: Call, body: Body) -> Body:
    serial = call.store.next_number("customer_ref", call.store.count("customers") + 1)
    return {"country_code": _country(call), "ref": f"C{serial:06d}", "internal_id": serial}


def _appointment_changes(call: Call, body: Body, record: Body) -> Body:
    changes: Body = {}
    if "attendees" in body:
        users = all_named(call, "appointments", "attendees", body["attendees"])
        changes["attendees"] = [short(user, "users") for user in users]
    if "dateandtime" in body or "duration" in body:
        minutes = float(record.get("duration") or 10)
        if minutes > _LONGEST_MINUTES:
            raise Refusal("duration must not be longer than a year.")
        start = datetime.fromisoformat(record["start_date"])
        try:
            changes["end_date"] = iso_in(start + timedelta(minutes=minutes), call.store.zone)
        except OverflowError as error:
            raise Refusal("dateandtime lies beyond the calendar.") from error
    if "presetId" in body:
        named(call, "appointments", "presetId", body["presetId"])
    if body.get("createticket") and record["ticket"] is None:
        changes["ticket"] = _its_ticket(call, body, record)
    return changes


def _its_ticket(call: Call, body: Body, record: Body) -> Body:
    if record["customer"] is None:
        raise Refusal("createticket needs a customer. Please send its id.")
    wanted = {"customerId": record["customer"]["id"], "shortInfo": body["subject"]}
    wanted |= {name: body[name] for name in ("presetId",) if name in body}
    return short(made(call, "tickets", TICKET, wanted), "tickets")


PEOPLE = {
    "customers": Effects(_customer_changes, _new_customer),
    "leads": Effects(_country_of_mobile),
    "appointments": Effects(_appointment_changes),
}
