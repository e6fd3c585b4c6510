"""POST, PUT and DELETE of records: the body checked, its fields kept under the record's names.

``resources.toml`` says where; what a write has beside that stands in :mod:`sandbox.effects`.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from html import escape
from typing import Any
from urllib.parse import parse_qsl

from sandbox import bodies
from sandbox.calls import Answer, Call, Refusal, found
from sandbox.resources import RESOURCES, short
from sandbox.values import iso_in, parse_day, parse_moment
from specification import BODIES, List, Op

Body = dict[str, Any]
After = Callable[[Call, Body, Body | None, Body | None], None]
CENT = Decimal("0.01")
_CUT = 20
KEEPS: Mapping[str, Callable[[str], str]] = {
    "as_sent": str,
    "upper": str.upper,
    "escaped": escape,
    "one_line": lambda text: " ".join(text.split()),
    "cut": lambda text: text[:_CUT],
}
"""How a shop keeps a text that it was sent."""
_BY_LABEL = {
    ("tickets", "customerId"),
    ("payment_line", "paymentMethod"),
    ("ticket_comments", "ticket"),
    ("ticket_timers", "ticket"),
}
"""Fields whose type is text and that take more than an id all the same."""


@dataclass(frozen=True)
class Effects:
    """What writes of a resource have beside keeping what was sent.

    Attributes:
        changes: body, and the record as it would be -> more fields of the record.
        new: body -> what a new record has besides.
        after: what follows, of the body and the record before and after; None where it was not
            there yet, or is gone.
    """

    changes: Callable[[Call, Body, Body], Body] = lambda call, body, record: {}
    new: Callable[[Call, Body], Body] = lambda call, body: {}
    after: After = lambda *_told: None


def checked(call: Call, table: str, op: Op) -> Body:
    """Body of a write (specification, Common conventions), checked against its table."""
    kind = call.content_type.split(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        # A form knows texts only: numbers and flags are read out of them.
        return bodies.checked(table, op, _form(call.body), of_form=True)
    if kind != "application/json":
        raise Refusal("Content-Type must be application/json.", 415)
    try:
        content = json.loads(call.body, parse_constant=int)  # which reads no NaN
    except (ValueError, RecursionError) as error:
        raise Refusal("The body is not valid JSON. Please check it.") from error
    return bodies.checked(table, op, content)


def _form(content: bytes) -> Body:
    """A form as the body it stands for: ``lines[0][quantity]=2`` is a list of objects."""
    body: Body = {}
    lists: dict[str, dict[int, Body]] = {}
    for name, value in parse_qsl(content.decode("utf-8", "replace"), keep_blank_values=True):
        if part := re.fullmatch(r"(\w+)\[(\d{1,4})\]\[(\w+)\]", name, re.ASCII):
            lists.setdefault(part[1], {}).setdefault(int(part[2]), {})[part[3]] = value
        else:
            body[name] = value
    return body | {name: [line for _, line in sorted(lists[name].items())] for name in lists}


def create(row: List, effects: Effects, call: Call) -> Answer:
    """POST: 201 with the new id."""
    body = checked(call, row.name, "create")
    with call.store.database.writing():
        record = made(call, row.name, effects, body)
    return Answer({"id": record["id"]}, 201)


def made(call: Call, resource: str, effects: Effects, body: Body) -> Body:
    """The new record of a checked body, with all that follows from it."""
    record = {**RESOURCES[resource].fresh(), **effects.new(call, body)}
    record |= kept(call, resource, body, record)
    record |= effects.changes(call, body, record)
    stored = found(call.store, resource, call.store.insert(resource, record))
    effects.after(call, body, None, stored)
    return stored


def update(row: List, effects: Effects, call: Call) -> Answer:
    """PUT: 200 with the id; only the fields sent change."""
    with call.store.database.writing():
        before = found(call.store, row.name, call.path[row.item])
        body = checked(call, row.name, "update")
        changes = kept(call, row.name, body, before)
        if changes := {**changes, **effects.changes(call, body, {**before, **changes})}:
            call.store.update(row.name, before["id"], changes)
        record = found(call.store, row.name, before["id"])
        effects.after(call, body, before, record)
        _show_renamed(call, row.name, before, record)
    return Answer({"id": before["id"]})


def delete(row: List, effects: Effects, call: Call) -> Answer:
    """DELETE: 200 without content."""
    with call.store.database.writing():
        before = found(call.store, row.name, call.path[row.item])
        call.store.delete(row.name, before["id"])
        effects.after(call, {}, before, None)
    return Answer(None)


def kept(call: Call, resource: str, body: Body, before: Body) -> Body:
    """The fields of a body that are kept as they are, under the record's names."""
    kind = RESOURCES[resource]
    changes: Body = {}
    for name, value in body.items():
        if name not in kind.apart:
            shown = money(value) if name in kind.money else _value(call, resource, name, value)
            changes[kind.field_of(name)] = shown
    if kind.spans:
        begun, ended = (changes.get(name) or before.get(name) for name in kind.spans)
        if begun and ended and datetime.fromisoformat(ended) < datetime.fromisoformat(begun):
            raise Refusal(f"{kind.spans[1]} must not be before {kind.spans[0]}. Please correct it.")
    return changes


def _value(call: Call, table: str, name: str, value: Any) -> Any:
    one = BODIES[table].fields[name]
    if one.names:
        records = all_named(call, table, name, value)
        return value if one.several or one.type == "numeric" else short(records[0], one.names)
    if one.format == ("dd-mmm-yyyy",):
        return parse_day(value).isoformat()
    if one.format:
        return moment(call, value)
    if one.type == "string" and not one.values:
        return KEEPS[call.quirks.keeps](value)
    return exact(value)


def _show_renamed(call: Call, resource: str, before: Body, now: Body) -> None:
    """Every record that names this one shows it as it is now."""
    kind = RESOURCES[resource]
    label = kind.label[0]
    names = {name: name for name in kind.shows} if label == "name" else {"name": label}
    shown = {name: now.get(own) for name, own in names.items()}
    if all(before.get(own) == shown[name] for name, own in names.items()):
        return
    for place in kind.shown_in:
        holder, _, path = place.partition(".")
        named_so = f"json_extract(doc, '$.{path}.id') = ?"
        for record in call.store.select(holder, named_so, (before["id"],)):
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


def all_named(call: Call, table: str, field: str, value: Any) -> list[Body]:
    """The records that a field of a body names, several as a list or with commas."""
    ids = list(dict.fromkeys(value)) if isinstance(value, list) else [value]
    if BODIES[table].fields[field].several == "comma":
        ids = [part.strip() for part in value.split(",") if part.strip()]
    return [named(call, table, field, one) for one in ids]


def named(call: Call, table: str, field: str, value: Any) -> Body:
    """The record that a field of a body names: by its id, or where the document lets it by its
    exact label (specification, Errors, 3), name or number."""
    one = BODIES[table].fields[field]
    words = "does not exist"
    if one.type == "any" or (table, field) in _BY_LABEL:
        known = call.store.called(one.names, value, kind=one.kind)
        words = "is no id and no exact match of an existing label"
    else:
        known = call.store.select(one.names, "id = ?", (str(value),))
    if not known:
        raise Refusal(f"{field} '{value}' {words}. Please check it.")
    return known[0]
