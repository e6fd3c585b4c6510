"""POST, PUT and DELETE of records: the body checked, its fields kept under the record's names.

Most fields need no more: ``resources.toml`` says where each is kept. What a write has beside that
stands in :mod:`sandbox.effects`, as an :class:`Effects` of the resource.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from html import escape
from typing import Any
from urllib.parse import parse_qsl

from sandbox import bodies
from sandbox.calls import Answer, Call, found
from sandbox.errors import Refusal
from sandbox.resources import RESOURCES, short
from sandbox.values import iso_in, parse_day, parse_moment
from specification import BODIES, Field, List, Op

Body = dict[str, Any]
CENT = Decimal("0.01")
_MOST_LINES = 1_000
_CUT = 20
KEEPS: Mapping[str, Callable[[str], str]] = {
    "as_sent": str,
    "upper": str.upper,
    "escaped": escape,
    "one_line": lambda text: " ".join(text.split()),
    "cut": lambda text: text[:_CUT],
}
"""How a shop keeps a text that it was sent."""


@dataclass(frozen=True)
class Effects:
    """What writes of a resource have beside keeping what was sent.

    Attributes:
        changes: body, and the record as it would be -> more fields of the record.
        new: body -> what a new record has besides.
        created: what follows from the new record.
        updated: what follows from a change; gets the record as it was.
        deleted: what follows when it is gone; gets the record as it was.
    """

    changes: Callable[[Call, Body, Body], Body] = lambda call, body, record: {}
    new: Callable[[Call, Body], Body] = lambda call, body: {}
    created: Callable[[Call, Body, Body], None] = lambda call, body, record: None
    updated: Callable[[Call, Body, Body], None] = lambda call, body, before: None
    deleted: Callable[[Call, Body], None] = lambda call, before: None


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


def checked(call: Call, table: str, op: Op) -> Body:
    """Body of a write, checked against the specification's table."""
    # A form knows texts only: numbers and flags are read out of them.
    is_form = "json" not in call.content_type.lower()
    return bodies.checked(table, op, json_body(call), of_form=is_form)


def create(row: List, effects: Effects, call: Call) -> Answer:
    """POST: 201 with the new id."""
    body = checked(call, row.name, "create")
    with call.store.database.writing():
        record = new_record(call, row.name, effects, body)
        stored = found(call.store, row.name, call.store.insert(row.name, record))
        effects.created(call, body, stored)
    return Answer({"id": stored["id"]}, 201)


def new_record(call: Call, resource: str, effects: Effects, body: Body) -> Body:
    """The record that a checked body makes."""
    record = {**RESOURCES[resource].fresh(), **effects.new(call, body)}
    record |= kept(call, resource, body, record)
    return {**record, **effects.changes(call, body, record)}


def update(row: List, effects: Effects, call: Call) -> Answer:
    """PUT: 200 with the id; only the fields sent change."""
    with call.store.database.writing():
        before = found(call.store, row.name, call.path[row.item])
        body = checked(call, row.name, "update")
        changes = kept(call, row.name, body, before)
        if changes := {**changes, **effects.changes(call, body, {**before, **changes})}:
            call.store.update(row.name, before["id"], changes)
        effects.updated(call, body, before)
        _show_renamed(call, row.name, before)
    return Answer({"id": before["id"]})


def delete(row: List, effects: Effects, call: Call) -> Answer:
    """DELETE: 200 without content."""
    with call.store.database.writing():
        before = found(call.store, row.name, call.path[row.item])
        call.store.delete(row.name, before["id"])
        effects.deleted(call, before)
    return Answer(None)


def kept(call: Call, resource: str, body: Body, before: Body) -> Body:
    """The fields of a body that are kept as they are, under the record's names."""
    kind = RESOURCES[resource]
    changes: Body = {}
    for name, value in body.items():
        if name not in kind.apart:
            one = BODIES[resource].fields[name]
            is_money = name in kind.money
            changes[kind.field_of(name)] = money(value) if is_money else _value(call, one, value)
    if kind.spans:
        _in_order(changes, before, *kind.spans)
    return changes


def _value(call: Call, one: Field, value: Any) -> Any:
    if one.names:
        if one.several == "comma":
            several(call, one.name, one.names, value)
        elif one.type == "any":
            return label(call, one.name, one.names, value, one.kind)
        elif one.type == "string":
            return reference(call, one.name, one.names, value, by_number="ticket_no" in one.rule)
        else:
            named_by(call, one.name, one.names, value)
        return value
    if one.format == ("dd-mmm-yyyy",):
        return parse_day(value).isoformat()
    if one.format:
        return moment(call, value)
    if one.type == "string" and not one.values and isinstance(value, str):
        return KEEPS[call.quirks.keeps](value)
    return exact(value)


def _in_order(changes: Mapping[str, Any], before: Mapping[str, Any], first: str, last: str) -> None:
    """Refuse an end that comes before its beginning."""
    begun, ended = (changes.get(name) or before.get(name) for name in (first, last))
    if begun and ended and datetime.fromisoformat(ended) < datetime.fromisoformat(begun):
        raise Refusal(f"{last} must not be before {first}. Please correct it.")


def _show_renamed(call: Call, resource: str, before: Body) -> None:
    """Every record that names this one shows it as it is now."""
    kind = RESOURCES[resource]
    now = call.store.get(resource, before["id"]) or before
    names = dict.fromkeys(kind.shows) if kind.label == "name" else {"name": kind.label}
    shown = {name: now.get(own or name) for name, own in names.items()}
    if all(before.get(own or name) == shown[name] for name, own in names.items()):
        return
    for place in kind.shown_in:
        holder, _, path = place.partition(".")
        for record in call.store.select(
            holder, f"json_extract(doc, '$.{path}.id') = ?", (before["id"],)
        ):
            known = {name: value for name, value in shown.items() if name in record[path]}
            changes: Body = {path: {**record[path], **known}}
            if holder == "models":
                changes["make"] = now.get("name")
            call.store.update(holder, record["id"], changes, touch=False)


def exact(value: Any) -> Any:
    """A number without floating point; anything else unchanged."""
    return Decimal(str(value)) if isinstance(value, float) else value


def money(value: Any) -> Decimal:
    """An amount, rounded to cents."""
    return Decimal(exact(value)).quantize(CENT)


def moment(call: Call, text: str) -> str:
    """A moment of a body (the shop's wall clock) as it is stored."""
    return iso_in(parse_moment(text), call.store.zone)


def several(call: Call, field: str, resource: str, value: Any) -> list[Body]:
    """The records that a list of ids names, separated by commas."""
    ids = [one.strip() for one in str(value).split(",") if one.strip()]
    return [named_by(call, field, resource, one) for one in ids]


def reference(
    call: Call, field: str, resource: str, value: Any, *, by_number: bool = False
) -> Body:
    """The reference to another record that a field names by its id; ``by_number``: a ticket may be
    named by its reference or number too."""
    return short(named_by(call, field, resource, value, by_number=by_number), resource)


def named_by(call: Call, field: str, resource: str, value: Any, *, by_number: bool = False) -> Body:
    """The whole record that a field names by its id."""
    record = call.store.get(resource, value)
    if record is None and by_number:
        record = call.store.first(resource, "? IN (ticket_ref, ticket_no)", (str(value),))
    if record is None:
        raise Refusal(f"{field} '{value}' does not exist. Please check the id.")
    return record


def label(call: Call, field: str, resource: str, value: Any, kind: str = "") -> Body:
    """The ``id``/``label`` reference of an id or exact label (specification, Errors, 3)."""
    known = call.store.called(resource, value, kind=kind)
    if not known:
        raise Refusal(
            f"{field} '{value}' is no id and no exact match of an existing label. Please check it."
        )
    return short(known[0], resource)
