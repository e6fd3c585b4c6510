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
data frames and CSV files are "not given". Rows may differ in resource, operation and basis by
their keys ``_resource``, ``_op`` and ``_based_on`` (JSON: the values the change is based on).
"""

import getpass
import hashlib
import json
import mimetypes
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from pipelines.bodies import BodyError, operations, validate, validate_upload
from pipelines.bodies.fields import Queued, QueuedRow, reference
from pipelines.outbox.basis import from_warehouse, over_own
from pipelines.outbox.change import Fields, NewChange, Reference, as_id
from pipelines.outbox.compare import marked_body
from pipelines.outbox.errors import InputRefused
from pipelines.outbox.identity import bind
from pipelines.outbox.known import unknown
from pipelines.outbox.store import Outbox
from pipelines.settings import Settings, ShopSettings, load_settings
from sources.repair_shop.schema.endpoints import UnknownResource, resource_named

MOST_UPLOAD_BYTES = 25 * 1024 * 1024
"""Our own bound, held in memory once; "Maximum upload size: not shown" (specification, Limits)."""
_OWN = ("_resource", "_op", "_based_on")

Rows = pd.DataFrame | Sequence[Fields] | Fields


def enqueue(
    resource: str,
    op: str,
    data: Rows | None = None,
    *,
    record_id: str | None = None,
    shop: str | None = None,
    home: Path | str | None = None,
    by: str | None = None,
    based_on: Fields | None = None,
    marker: bool = False,
    file: Path | str | None = None,
    settings: Settings | None = None,
    where: Sequence[str] | None = None,
    check: bool = True,
) -> list[int]:
    """Queue one change for each row; their numbers, in the order of the rows.

    ``marker`` allows a short token in a free-text field of what is created, by which it is found
    again for sure should its answer be lost. ``file`` is for ``op="upload"``. ``where`` names the
    rows in messages ("line 7"). ``check`` False leaves it to the service whether ids and labels
    exist (:mod:`pipelines.outbox.known`). :class:`InputRefused` names every fault; nothing is
    queued then.
    """
    settings = settings or load_settings()
    target = _shop(settings, shop)
    folder = Path(home) if home is not None else settings.home
    rows = _rows(data)
    names = list(where) if where is not None else [f"row {n}" for n in range(1, len(rows) + 1)]
    faults: list[str] = []
    changes: list[NewChange] = []
    for place, row in enumerate(rows):
        label = names[place] if len(rows) > 1 or where is not None else ""
        try:
            change = _change(resource, op, row, record_id, target, based_on, marker, file)
            _check_rows(change, place + 1)
            changes.append(replace(change, where=label))
        except BodyError as error:
            section = f" (specification, {error.section})" if error.section else ""
            at = f"{label}: " if label else ""
            faults.extend(f"{at}{error.what}: {fault}{section}" for fault in error.faults)
        except InputRefused as error:
            faults.extend(f"{label}: {fault}" if label else fault for fault in error.faults)
    if not rows:
        faults.append("there is no row in it")
    if faults:
        raise InputRefused(faults)
    with Outbox(folder) as outbox:
        _check_numbers(outbox, changes)
        changes = [_with_id(outbox, change) for change in changes]
        if check and (missing := unknown(folder, outbox, changes)):
            raise InputRefused(missing)
        return outbox.add(
            _with_basis(folder, outbox, changes),
            by=by or current_user(),
            service=bind(outbox, target),
        )


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


def _change(
    resource: str,
    op: str,
    row: Fields,
    record_id: str | None,
    shop: ShopSettings,
    based_on: Fields | None,
    marker: bool,
    file: Path | str | None,
) -> NewChange:
    values = dict(row)
    own = {name: values.pop(name) for name in _OWN if name in values}
    table, op = resource_and_op(str(own.get("_resource", resource)), own.get("_op", op))
    said = values.pop("id", None)
    if said and record_id and str(said) != str(record_id):
        raise InputRefused([f"id: the row is for both {str(said)!r} and {str(record_id)!r}"])
    target = _target(said or record_id, op)
    base_values = _based_on(own.get("_based_on", based_on))
    base = {"values": base_values} if base_values else {}
    change = NewChange(shop.name, table, op, target, body={}, base=base)
    if op == "upload":
        attached = _file(file or values.pop("file", None))
        metadata = {"fileName": attached["name"], "fileSize": attached["size"]}
        return replace(change, body=validate_upload(table, metadata | values), file=attached)
    if op == "delete":
        if values:
            raise InputRefused([f"a delete takes no fields, but has {', '.join(values)}"])
        return change
    body, token = validate(table, op, values, zone=shop.zone), None
    if op == "update" and not body:
        raise InputRefused(["an update needs at least one field to change"])
    if marker and op == "create":
        body, token = marked_body(table, body)
    return replace(change, body=body, marker=token)


def _rows(data: Rows | None) -> list[dict[str, Any]]:
    if data is None:
        return [{}]
    if isinstance(data, pd.DataFrame):
        return [
            {str(k): v for k, v in row.items() if not (pd.api.types.is_scalar(v) and pd.isna(v))}
            for row in data.to_dict("records")
        ]
    if isinstance(data, Mapping):
        return [dict(data)]
    rows = list(data)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise InputRefused([f"row {number}: must be an object of field names and values"])
    return [dict(row) for row in rows]


def _target(value: Any, op: str) -> str | Reference | None:
    if op == "create":
        if value not in (None, ""):
            raise InputRefused(["id: a create takes none, the service gives it"])
        return None
    if value in (None, ""):
        raise InputRefused([f"id: which record to {op} is not said"])
    try:
        if (queued := reference(value)) is not None:
            return queued
    except ValueError as error:
        raise InputRefused([f"id: {error}"]) from None
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # a data frame makes floats of whole numbers when a cell is empty
    text = as_id(value)
    if text is None or text.startswith("@"):
        raise InputRefused([f"id: {value!r} is no id"])
    return text


def _based_on(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise InputRefused(["_based_on: is no JSON object"]) from None
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputRefused(["_based_on: must be an object of field names and values"])
    return {str(name): str(inner) if inner is not None else "" for name, inner in value.items()}


def _references(value: Any) -> Iterator[Reference]:
    if isinstance(value, Queued | QueuedRow):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _references(inner)


def _check_rows(change: NewChange, place: int) -> None:
    for one in _references([change.body, change.record_id]):
        if isinstance(one, QueuedRow) and one.row >= place:
            raise InputRefused([f"@row:{one.row} must name an earlier row than its own, {place}"])


def _check_numbers(outbox: Outbox, changes: Sequence[NewChange]) -> None:
    faults = []
    known: dict[int, str] = {}
    for change in changes:
        for one in _references([change.body, change.record_id]):
            if isinstance(one, QueuedRow):
                continue
            if one.number not in known:
                known[one.number] = _refusal(outbox, one.number, change.shop)
            if known[one.number]:
                faults.append(f"{change.where}: {known[one.number]}".removeprefix(": "))
    if faults:
        raise InputRefused(faults)


def _refusal(outbox: Outbox, number: int, shop: str) -> str:
    found = outbox.changes(number=number)
    if not found:
        return f"@{number}: there is no change {number}"
    if found[0].shop != shop:
        return f"@{number}: change {number} is for another shop, '{found[0].shop}'"
    if found[0].state == "done" and found[0].id is None:
        return f"@{number}: change {number} is done, and has no id"
    return f"@{number}: change {number} was rejected" if found[0].state == "rejected" else ""


def _with_id(outbox: Outbox, change: NewChange) -> NewChange:
    """The change with the id of the record it is for, where that is known already."""
    if not isinstance(change.record_id, Queued):
        return change
    made = outbox.get(change.record_id.number)
    return replace(change, record_id=made.id) if made.state == "done" else change


def _with_basis(home: Path, outbox: Outbox, changes: Sequence[NewChange]) -> list[NewChange]:
    """Bases from the published warehouse, one query for each shop and resource, and from what we
    pushed since."""
    wanted: dict[tuple[str, str], dict[str, set[str]]] = {}
    for change in changes:
        if _lacks_basis(change):
            fields = wanted.setdefault((change.shop, change.resource), {})
            fields.setdefault(str(change.record_id), set()).update(change.body)
    found = {key: from_warehouse(home, *key, fields) for key, fields in wanted.items()}
    based = []
    for change in changes:
        base = found.get((change.shop, change.resource), {}).get(str(change.record_id))
        if base and _lacks_basis(change):
            seen = {name: base["seen"][name] for name in change.body if name in base["seen"]}
            change = replace(change, base=over_own(outbox, change, seen, base["seen_at"]))
        based.append(change)
    return based


def _lacks_basis(change: NewChange) -> bool:
    return change.op == "update" and isinstance(change.record_id, str) and not change.base


def _file(path: Any) -> dict[str, Any]:
    if not path:
        raise InputRefused(["an upload needs its file (--upload FILE)"])
    place = Path(str(path))
    try:
        size = place.stat().st_size
        if size > MOST_UPLOAD_BYTES:
            most = MOST_UPLOAD_BYTES // (1024 * 1024)
            raise InputRefused([f"{place}: has {size} bytes; at most {most} MiB are sent"])
        if size == 0:
            raise InputRefused([f"{place}: is empty"])
        content = place.read_bytes()
    except OSError as error:
        raise InputRefused([f"{place}: cannot be read ({error.strerror})"]) from None
    return {
        "path": str(place.resolve()),
        "name": place.name,
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "type": mimetypes.guess_type(place.name)[0] or "application/octet-stream",
    }


def _shop(settings: Settings, name: str | None) -> ShopSettings:
    if name is not None:
        return settings.shop(name)
    if len(settings.shops) > 1:
        known = ", ".join(shop.name for shop in settings.shops)
        raise InputRefused([f"which shop? Name one with --shop (shop=): {known}"])
    return settings.shops[0]


def current_user() -> str:
    """Who runs this, as far as the machine knows: a container's user may have no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return os.environ.get("USER", "unknown")
