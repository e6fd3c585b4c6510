"""What all writes share: the body checked, references resolved, amounts and moments converted."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qsl

from sandbox.errors import Refusal
from sandbox.lists import OF_RESOURCE
from sandbox.resources import BLANK
from sandbox.routes import Answer, Call, found
from sandbox.values import iso_in, parse_moment
from sandbox.writes import bodies

Body = dict[str, Any]
References = Mapping[str, tuple[str, str, tuple[str, ...]]]
"""Field of a body -> of the record, the list it names a record of, and what is shown of that."""
_MOST_LINES = 1_000
CENT = Decimal("0.01")


Changes = Callable[[Call, Body, Body], Body]
"""Body of a write and the record as it was, empty of a new one -> the fields that it changes."""


@dataclass(frozen=True)
class Writes:
    """What can be written of one resource.

    Attributes:
        resource: what is written.
        changes: what a body says of a record.
        create: body -> record to insert, where a new one has more than its body says.
        created: what follows from the new record.
        updated: what follows from a change; gets the record as it was.
        deleted: what follows when it is gone; gets the record as it was.
        methods: of HTTP, that there are.
    """

    resource: str
    changes: Changes
    create: Callable[[Call, Body], Body] | None = None
    created: Callable[[Call, Body, Body], None] = lambda call, body, record: None
    updated: Callable[[Call, Body, Body], None] = lambda call, body, before: None
    deleted: Callable[[Call, Body], None] = lambda call, before: None
    methods: tuple[str, ...] = ("POST", "PUT", "DELETE")

    def found(self, call: Call) -> Body:
        """The record that a request names, or refuse with 404."""
        return found(call.store, self.resource, call.path[OF_RESOURCE[self.resource][1].detail])


def json_body(call: Call) -> Any:
    """Parse the body (specification, Common conventions: JSON with its content type)."""
    kind = call.content_type.split(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        return _form(call.body)
    if kind != "application/json":
        raise Refusal("Content-Type must be application/json.", 415)
    try:
        return json.loads(call.body, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Refusal("The body is not valid JSON. Please check it.") from error


def _form(content: bytes) -> Body:
    """A form as the body it stands for: ``lines[0][quantity]=2`` is a list of objects."""
    body: Body = {}
    for name, value in parse_qsl(content.decode("utf-8", "replace"), keep_blank_values=True):
        first, *steps = name.replace("]", "").split("[")
        if len(steps) == 2 and steps[0].isdecimal() and int(steps[0]) < _MOST_LINES:
            lines = body.setdefault(first, [])
            while isinstance(lines, list) and len(lines) <= int(steps[0]):
                lines.append({})
            if isinstance(lines, list):
                lines[int(steps[0])][steps[1]] = value
        else:
            body[name] = value
    return body


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def checked(call: Call, resource: str, op: str) -> Body:
    """Body of a write, checked against the specification's table."""
    content = json_body(call)
    if op == "create":
        content = bodies.with_defaults(resource, content)
    # A form knows texts only: numbers and flags are read out of them.
    return bodies.checked(resource, op, content, of_form="json" not in call.content_type.lower())


def create(writes: Writes, call: Call) -> Answer:
    """POST: 201 with the new id."""
    body = checked(call, writes.resource, "create")
    with call.store.database.writing():
        said = writes.create(call, body) if writes.create else writes.changes(call, body, {})
        new = call.store.insert(writes.resource, {**BLANK.get(writes.resource, {}), **said})
        stored = found(call.store, writes.resource, new)
        writes.created(call, body, stored)
    return Answer({"id": stored["id"]}, 201)


def update(writes: Writes, call: Call) -> Answer:
    """PUT: 200 with the id; only the fields sent change."""
    with call.store.database.writing():
        before = writes.found(call)
        body = checked(call, writes.resource, "update")
        if changes := writes.changes(call, body, before):
            call.store.update(writes.resource, before["id"], changes)
        writes.updated(call, body, before)
    return Answer({"id": before["id"]})


def delete(writes: Writes, call: Call) -> Answer:
    """DELETE: 200 without content."""
    with call.store.database.writing():
        before = writes.found(call)
        call.store.delete(writes.resource, before["id"])
        writes.deleted(call, before)
    return Answer(None)


def shown_as(fields: str) -> dict[str, str]:
    """Field of a body -> of the record: ``referredBy`` is ``referred_by``, unless another is named
    (``telephone=phone``)."""
    pairs = (one.partition("=") for one in fields.split())
    return {
        name: other or re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower() for name, _, other in pairs
    }


def mapped(body: Mapping[str, Any], names: Mapping[str, str]) -> Body:
    """Fields of a body under the names that records show them by."""
    return {field: exact(body[name]) for name, field in names.items() if name in body and field}


def exact(value: Any) -> Any:
    """A number without floating point; anything else unchanged."""
    return Decimal(str(value)) if isinstance(value, float) else value


def money(value: Any) -> Decimal:
    """An amount, rounded to cents."""
    return Decimal(exact(value)).quantize(CENT)


def in_order(changes: Mapping[str, Any], before: Mapping[str, Any], first: str, last: str) -> None:
    """Refuse an end that comes before its beginning."""
    begun, ended = (changes.get(name) or before.get(name) for name in (first, last))
    if begun and ended and datetime.fromisoformat(ended) < datetime.fromisoformat(begun):
        raise Refusal(f"{last} must not be before {first}. Please correct it.")


def known_ids(call: Call, field: str, resource: str, value: Any) -> None:
    """Refuse a list of ids, separated by commas, of which one is not there."""
    for one in str(value).split(","):
        if one.strip():
            reference(call, field, resource, one.strip(), ("id",))


def renamed(resource: str) -> Callable[[Call, Body, Body], None]:
    """What follows from a change: every record that names this one shows it as it is now."""

    def follow(call: Call, _body: Body, before: Body) -> None:
        now = call.store.get(resource, before["id"]) or before
        for holder, path, names in NAMED_BY[resource]:
            if all(now.get(own) == before.get(own) for own in names.values()):
                continue
            where = f"json_extract(doc, '$.{path}.id') = ?"
            for record in call.store.select(holder, where, (before["id"],)):
                shown = {new: now.get(own) for new, own in names.items() if new in record[path]}
                changes: Body = {path: {**record[path], **shown}}
                if holder == "models":
                    changes["make"] = now.get("name")
                call.store.update(holder, record["id"], changes, touch=False)

    return follow


def moment(call: Call, text: str) -> str:
    """A moment of a body (the shop's wall clock) as it is stored."""
    return iso_in(parse_moment(text), call.store.zone)


def moments(call: Call, body: Body, names: Mapping[str, str]) -> Body:
    """The moments among a body's fields, under the names that records show them by."""
    return {field: moment(call, body[name]) for name, field in names.items() if name in body}


def references(call: Call, body: Body, table: References) -> Body:
    """The references among a body's fields."""
    return {
        field: reference(call, name, resource, body[name], names)
        for name, (field, resource, names) in table.items()
        if name in body
    }


def reference(call: Call, field: str, resource: str, value: Any, names: tuple[str, ...]) -> Body:
    """The reference to another record that a field names by its id."""
    return short(named_by(call, field, resource, value), names)


def named_by(call: Call, field: str, resource: str, value: Any) -> Body:
    """The whole record that a field names by its id."""
    record = call.store.get(resource, value)
    if record is None:
        raise Refusal(f"{field} '{value}' does not exist. Please check the id.")
    return record


def short(record: Mapping[str, Any], names: tuple[str, ...]) -> Body:
    """Part of a record that stands for it elsewhere."""
    return {name: record.get(name) for name in names}


def label(call: Call, field: str, resource: str, value: Any, kind: str = "") -> Body:
    """The ``id``/``label`` reference of an id or exact label (specification, Errors, 3)."""
    found = call.store.called(resource, value, kind=kind)
    if not found:
        raise Refusal(
            f"{field} '{value}' is no id and no exact match of an existing label. Please check it."
        )
    return short(found[0], ("id", "label"))


TICKET = ("id", "ticket_ref", "ticket_no")
STAFF = ("id", "first_name", "last_name", "email")
OF_STAFF: References = {"userId": ("user", "users", STAFF)}
OF_TICKET: References = {"ticket": ("ticket", "tickets", TICKET)}
CUSTOMER = ("id", "internal_id", "name", "email", "mobile", "phone", "company")
NAMED = ("id", "name")
PRODUCT = ("id", "name", "code")

_AS_IS = {name: name for name in CUSTOMER if name != "id"}
_BY_NAME = {"name": "name"}
NAMED_BY: Mapping[str, tuple[tuple[str, str, Mapping[str, str]], ...]] = {
    "customers": tuple(
        (holder, "customer", _AS_IS)
        for holder in ("tickets", "ticket_invoices", "pos_orders", "appointments", "shipments")
    ),
    "brands": tuple((holder, "brand", _BY_NAME) for holder in ("models", "products", "presets")),
    "models": tuple((holder, "model", {"name": "model"}) for holder in ("products", "presets")),
    "categories": (("products", "category", _BY_NAME),),
}
"""Resource -> who names it: list, field, and the reference's fields with the record's own."""
