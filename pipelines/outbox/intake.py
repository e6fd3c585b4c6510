"""Into the queue: validated whole, queued whole or not at all, nothing sent.

Data flow: a data frame, a list of rows, one row, or a file -> bodies checked against the
specification -> rows of ``outbox.sqlite``. From a notebook::

    from pipelines.outbox import enqueue
    enqueue("products", "update", frame[["id", "price"]], by="ann")
    enqueue("customers", "create", {"name": "Ann"})            # -> [12]
    enqueue("tickets", "create", {"customerId": "@12", "shortInfo": "Screen"})

A row's keys are the specification's field names. ``id`` is the record an update, delete or upload
is for. An id field may name a change still queued: ``"@12"`` (or ``{"$queued": 12}``) is the id
that change 12 will get, ``"@row:3"`` that of the third row of the same call or file. Empty cells of
data frames and CSV files are "not given".
"""

import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import Field

from pipelines.bodies import BodyError, operations, validate
from pipelines.bodies.fields import Reference, filled, reference, references, whole
from pipelines.outbox.basis import based, remarks
from pipelines.outbox.change import Change, Fields, NewChange, State, as_id
from pipelines.outbox.errors import InputRefused
from pipelines.outbox.files import FileRows, fields_of
from pipelines.outbox.match import marked_body
from pipelines.outbox.origin import bind, current_user, here, skip_numbers
from pipelines.outbox.references import mentions, unknown
from pipelines.outbox.store import Outbox, folded
from pipelines.settings import Section, Settings, ShopSettings, load_settings
from sources.repair_shop.budget.clock import SystemClock
from sources.repair_shop.schema.endpoints import UnknownResource, resource_named

log = logging.getLogger(__name__)
MOST_UPLOAD_BYTES = 25 * 1024 * 1024
"""Our own bound, held in memory once; "Maximum upload size: not shown" (specification, Limits)."""

Rows = pd.DataFrame | Sequence[Fields] | Fields | FileRows


class OutboxSettings(Section):
    """``[outbox]``: how changes are sent."""

    section = "outbox"
    marker: bool = Field(
        True,
        description="a short token in the note of each payment, by which it is found for sure",
    )


def enqueue(
    resource: str,
    op: str,
    data: Rows | None = None,
    *,
    record_id: str | None = None,
    shop: str | None = None,
    by: str | None = None,
    based_on: Fields | None = None,
    marker: bool | None = None,
    key: str | None = None,
    file: Path | str | None = None,
    settings: Settings | None = None,
    check: bool = True,
    warn: Callable[[str], None] = log.warning,
    clock: SystemClock | None = None,
) -> list[int]:
    """Queue one change for each row; their numbers, in the order of the rows.

    ``based_on``: the values that its author saw, if not those of the warehouse. ``marker`` puts a
    short token in a free-text field of what is created; None: of payments, as ``[outbox] marker``
    says. ``key`` names the field or column that makes a row unique for ever: a row whose key was
    queued before is not queued again, and its number is that of the first. ``file`` is for
    ``op="upload"``. ``check`` False leaves it to the service whether ids and labels exist. ``warn``
    gets a line for what is queued and looks like a mistake. ``clock`` is for tests.
    :class:`InputRefused` names every fault; nothing is queued then.
    """
    settings = settings or load_settings()
    target, (table, op) = _shop(settings, shop), resource_and_op(resource, op)
    if marker is None:
        marker = table == "payments" and OutboxSettings.load().marker
    basis = {"values": _texts(based_on, fields_of(table, op))} if based_on else {}
    wanted = NewChange(target.name, table, op, record_id, {}, basis, key=key)
    named = data if isinstance(data, FileRows) else _named(data)
    found, rows = list(named.faults), named.rows
    changes, faulty = list[NewChange](), list[NewChange]()
    for place, (row, where) in enumerate(zip(rows, named.where, strict=True), 1):
        one = replace(wanted, where=where)
        try:
            changes.append(_change(one, place, row, target, file, marker))
        except (BodyError, InputRefused) as error:
            found += [one.at + fault for fault in error.faults]
            faulty.append(_as_named(one, row))
    if not rows and not found:
        found.append("there is no row in it")
    with Outbox(settings.home, clock) as outbox:
        wrong = _wrong_numbers(outbox, changes)
        if not wrong:
            changes = [_with_id(outbox, change) for change in changes]
            wrong = unknown(settings.home, outbox, [*changes, *faulty]) if check else []
        found += wrong + _wrong_keys(outbox, changes)
        if found:
            raise InputRefused(sorted(found, key=_line))
        changes = based(settings.home, outbox, changes)
        service = bind(outbox, target)
        skip_numbers(outbox)
        [last] = outbox.ask("last_number")[0]
        numbers = outbox.add(changes, by=by or current_user(), service=service, stamp=here(outbox))
    for remark in remarks([c for c, n in zip(changes, numbers, strict=True) if n > last]):
        warn(remark)
    return numbers


def _line(fault: str) -> int:
    """The line that a fault names, so that they are told in their order."""
    head = fault.partition("line ")[2].partition(":")[0]
    return int(head) if head.isdecimal() else 0


def resource_and_op(resource: str, op: str) -> tuple[str, str]:
    """The raw table's name and the operation; :class:`InputRefused` when there is no such write."""
    try:
        table = resource_named(resource).table
    except UnknownResource as error:
        raise InputRefused([str(error)]) from None
    allowed = operations(table)
    if op not in allowed:
        has = ", ".join(allowed) if allowed else "none, it is read-only"
        raise InputRefused([f"{resource} has no '{op}' (specification, Endpoints); it has: {has}"])
    return table, op


# -- one row ----------------------------------------------------------------------------------


def _change(
    wanted: NewChange,
    place: int,
    row: Fields,
    shop: ShopSettings,
    file: Path | str | None,
    marker: bool,
) -> NewChange:
    """What is ``wanted`` of all rows, with what a row says; its ``key`` is the name of a field."""
    values, attached, table, op = dict(row), None, wanted.resource, wanted.op
    key = _key(values, wanted.key, table, op)
    record = _record(values.pop("id", None), wanted.record_id, op)
    if op == "upload":
        attached = _file(file or values.pop("file", None))
        values = {"fileName": attached["name"], "fileSize": attached["size"]} | values
    body, token = validate(table, op, values, zone=shop.zone), None
    if op == "update" and not body:
        raise InputRefused(["an update needs at least one field to change"])
    for one in references([body, record]):
        if (earlier := one.get("$row", 0)) >= place:
            raise InputRefused([f"@row:{earlier} must name an earlier row than its own, {place}"])
    if marker and op == "create":
        body, token = marked_body(table, body, folded(key or ""))
    return replace(wanted, record_id=record, body=body, file=attached, marker=token, key=key)


def _as_named(wanted: NewChange, row: Fields) -> NewChange:
    """A row with a fault, as far as it names records and labels: those may be wrong, too."""
    texts = {name: text for name, text in row.items() if isinstance(text, str)}
    plain = {name: text for name, text in texts.items() if text[:1] not in "[@"}
    return replace(wanted, record_id=as_id(plain.pop("id", None)), body=plain)


def _key(values: dict[str, Any], key: str | None, table: str, op: str) -> str | None:
    """The caller's own key of a row; a column that is no field is taken out of it."""
    if key is None:
        return None
    value = whole(values.get(key))
    is_one = isinstance(value, str | int | float | Decimal)
    text = str(value).strip() if is_one else ""
    if not text:
        raise InputRefused([f"{key}: the row has no value of it, and --key (key=) names it"])
    if key not in fields_of(table, op):
        values.pop(key)
    return text


def _named(data: pd.DataFrame | Sequence[Fields] | Fields | None) -> FileRows:
    if isinstance(data, pd.DataFrame):
        data = [
            {str(k): v for k, v in row.items() if not (pd.api.types.is_scalar(v) and pd.isna(v))}
            for row in data.to_dict("records")
        ]
    rows = [data] if isinstance(data, Mapping) else [{}] if data is None else list(data)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise InputRefused([f"row {number}: must be an object of field names and values"])
    where = [f"row {number}" if len(rows) > 1 else "" for number in range(1, len(rows) + 1)]
    return FileRows([*map(dict, rows)], where)


def _record(own: Any, given: Any, op: str) -> str | Reference | None:
    """The record that a row is for: its own ``id``, or the one that is given for all."""
    if own and given and str(own) != str(given):
        raise InputRefused([f"id: the row is for both {str(own)!r} and {str(given)!r}"])
    value = own or given
    if op == "create" and value:
        raise InputRefused(["id: a create takes none, the service gives it"])
    if op == "create":
        return None
    if value in (None, ""):
        raise InputRefused([f"id: which record to {op} is not said"])
    try:
        if (queued := reference(value)) is not None:
            return queued
    except ValueError as error:
        raise InputRefused([f"id: {error}"]) from None
    text = as_id(whole(value))
    if text is None or text.startswith("@"):
        raise InputRefused([f"id: {value!r} is no id"])
    return text


def _texts(values: Fields, known: set[str]) -> dict[str, str]:
    if unknown := ", ".join(sorted({*map(str, values)} - known)):
        # Of no use, and so an edit of what was meant would be overwritten.
        raise InputRefused([f"based_on: there is no field {unknown}"])
    return {str(name): "" if value is None else str(value) for name, value in values.items()}


def _file(path: Any) -> dict[str, Any]:
    if not path:
        raise InputRefused(["an upload needs its file (--upload FILE)"])
    place = Path(str(path))
    try:
        size = place.stat().st_size
        if not 0 < size <= MOST_UPLOAD_BYTES:
            most = f"has {size} bytes; at most {MOST_UPLOAD_BYTES // 1024**2} MiB are sent"
            raise InputRefused([f"{place}: {most if size else 'is empty'}"])
        content = place.read_bytes()
    except OSError as error:
        raise InputRefused([f"{place}: cannot be read ({error.strerror})"]) from None
    return {
        "path": str(place.resolve()),
        "name": place.name,
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


# -- beside what the queue holds --------------------------------------------------------------


def _wrong_numbers(outbox: Outbox, changes: Sequence[NewChange]) -> list[str]:
    """A fault for each reference to a change that gives no id, or one of other records than those
    that the field takes."""
    named = ((change, *mentioned) for change in changes for mentioned in mentions(change))
    return [
        f"{change.at}{field}: {told}"
        for change, field, target, one in named
        if isinstance(one, dict) and (told := _wrong_number(outbox, change, target.table, one))
    ]


def _wrong_number(outbox: Outbox, change: NewChange, table: str, one: Reference) -> str:
    number = one.get("$queued")
    of: Change | NewChange = change
    name = f"@{number}" if number else f"@row:{one['$row']}"
    if number:
        found = outbox.changes(number=number)
        if not found:
            return f"{name}: there is no change {number}"
        if found[0].shop != change.shop:
            return f"change {number} is for another shop, '{found[0].shop}'"
        if found[0].state is State.REJECTED:
            return f"change {number} was rejected"
        of = found[0]
    if of.resource != table:
        return f"{name} is of {of.resource}, not of {table}"
    return f"{name} is {of.op}, which makes no record" if of.op in ("delete", "upload") else ""


def _wrong_keys(outbox: Outbox, changes: Sequence[NewChange]) -> list[str]:
    """Keys that name another change: what was queued under one stays what it is."""
    faults, seen = [], dict[str, NewChange]()
    keys = outbox.by_key(changes[0]) if changes else {}
    for change in changes:
        if change.key is None:
            continue
        key = folded(change.key)
        if key in seen:
            faults.append(f"{change.at}key {change.key} stands in {seen[key].where}, too")
        seen[key] = change
        known = outbox.get(keys[key]) if key in keys else None
        if known and _words(known) != _words(change):
            told = f"key {known.key} was queued as change {known.number} ({known.state}), with "
            mend = "Give another row, or a mended one, a key of its own"
            faults.append(f"{change.at}{told}other values. {mend}")
    return faults


def _words(of: Change | NewChange) -> str:
    """What a change does, as text; a reference by row or by number is the same, and so is a body
    with its key's marker or without."""
    record = "@" if str(of.record_id)[:1] in "@{" else of.record_id
    is_plain = of.op == "create" and of.marker is None
    body = marked_body(of.resource, of.body, folded(of.key or ""))[0] if is_plain else of.body
    said = [record, (of.file or {}).get("sha256"), filled(body, lambda one: "@")]
    return json.dumps(said, sort_keys=True, default=str)


def _with_id(outbox: Outbox, change: NewChange) -> NewChange:
    """The change with the id of the record it is for, where that is known already."""
    if not isinstance(change.record_id, dict) or "$row" in change.record_id:
        return change
    made = outbox.get(change.record_id["$queued"])
    return replace(change, record_id=made.id) if made.state == "done" else change


def _shop(settings: Settings, name: str | None) -> ShopSettings:
    if name is not None:
        return settings.shop(name)
    if len(settings.shops) > 1:
        known = ", ".join(shop.name for shop in settings.shops)
        raise InputRefused([f"which shop? Name one with --shop (shop=): {known}"])
    return settings.shops[0]
