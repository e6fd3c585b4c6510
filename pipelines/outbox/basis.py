"""What a change is based on: the values its author saw, so that a later edit is not overwritten.

Either the author says it (``based_on``: request fields and their values), or it is read from the
published warehouse at the moment of queueing, which is what people look at. Fields that we pushed
ourselves since the warehouse read the record have what we sent as their basis: our own change is
nobody's edit. A field without a basis cannot conflict. A payment is based on its invoice being due.

A basis is ``{"values": {field: value}, "seen": {field: {column: text}}}``, ``made``: when the
record was, and ``shown``: what the service showed when the change was parked, over which a person
retried it.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb

from pipelines.outbox.change import NAMES, OPEN, Change, Fields, NewChange, Rows, State, invoices_of
from pipelines.outbox.match import (
    SLACK,
    Match,
    cents,
    columns_of,
    compare,
    picture,
    same,
    seconds_of,
)
from pipelines.outbox.store import Outbox
from pipelines.publish.errors import NothingPublished
from pipelines.publish.published import WAREHOUSE, Published, published_here
from sources.repair_shop.schema.clean import parse_amount
from sources.repair_shop.schema.dates import parse_moment

_LATE_SECONDS = 3600.0
_ZONES, _QUARTER = 26 * 3600.0, 900.0
"""How far zones are apart, at most, and in what steps."""
_SECOND = len("2026-07-16T18:22:05")
_VOLATILE = {"stock", "remaining", "quantity", "last_seen"}


def rows_of_warehouse(
    home: Path, shop: str, resource: str, ids: list[str], warehouse: Published | None = None
) -> tuple[Rows, Mapping[str, float]]:
    """Records of the published warehouse (or the one given) by id, and the columns of their table
    that hold a value, with the share of rows that do: in those, null means empty, not "never
    shown". A payment is found by the other id that it has (field notes, Fields seen), too, if it is
    no other payment's own."""
    names = ("id", "payment_id") if resource == "payments" else ("id",)
    try:
        with nullcontext(warehouse) if warehouse else published_here(home) as warehouse:
            # The table's name is one of ours (BODIES), never a user's text.
            table = f"raw.{resource} where shop_id = $shop"
            values = {"shop": shop, "ids": ids}
            columns = [name for name in names if warehouse.has(f"raw.{resource}", name)]
            wanted = " or ".join(f"{name}::varchar in (select unnest($ids))" for name in columns)
            rows = warehouse.rows(f"select * from {table} and ({wanted})", values)  # noqa: S608 - see above
            served = _served(warehouse, table, values, rows[0]) if rows else {}
    except (duckdb.Error, NothingPublished):
        # Being replaced, of another make, without the list: no basis, and so no false conflict.
        return {}, {}
    return {str(row[name]): row for name in reversed(columns) for row in rows}, served


def _served(
    warehouse: Published, table: str, values: Fields, names: Iterable[str]
) -> dict[str, float]:
    tests = (f'count("{name}") / count(*) as "{name}"' for name in names if name[0] != "_")
    found = warehouse.row(f"select {', '.join(tests)} from {table}", values)  # noqa: S608 - names of the table's own columns
    return {name: share for name, share in found.items() if share}


def based(home: Path, outbox: Outbox, changes: Sequence[NewChange]) -> list[NewChange]:
    """Changes with a basis of the fields for which their author named none: what the warehouse
    shows of them, moved on by what we pushed since. One query for each shop and resource."""
    ids: dict[tuple[str, str], set[str]] = {}
    for change in changes:
        resource, record = _meant(change)
        if isinstance(record, str):
            ids.setdefault((change.shop, resource), set()).add(record)
    found = {asked: rows_of_warehouse(home, *asked, [*wanted]) for asked, wanted in ids.items()}
    return [
        _based(outbox, one, *found.get((one.shop, _meant(one)[0]), ({}, {}))) for one in changes
    ]


def _meant(change: NewChange) -> tuple[str, Any]:
    """The record that a change is for: of a payment, its invoice."""
    if change.resource != "payments":
        return change.resource, change.record_id
    invoices = invoices_of(change.body)
    return "ticket_invoices", invoices[0] if len(invoices) == 1 else None


def _based(outbox: Outbox, change: NewChange, rows: Rows, served: Fields) -> NewChange:
    _, record = _meant(change)
    row = rows.get(record) if isinstance(record, str) else None
    if row is None:
        return change
    made = str(row.get("created_date") or "")
    if change.record_id is None:
        return replace(change, basis=change.basis | {"made": made})
    seen, values = dict[str, dict[str, str]](), dict[str, Any]()
    for name in change.body:
        columns = [one for one in columns_of(change.resource, name) if one in served]
        if shown := picture(change.resource, name, row) or dict.fromkeys(columns, ""):
            seen[name] = shown
    # Its content is of then; what a sync read back since and found unchanged is as published.
    named = {"shop": change.shop, "resource": change.resource, "id": change.record_id}
    published_at = (outbox.path.parent / WAREHOUSE).stat().st_mtime
    read_back = outbox.ask("read_back", published_at=published_at, **named)
    read_at = max([row["_seen_at"].timestamp(), *(at for [at] in read_back)])
    for ours in outbox.of_record(change, op="update", states=[State.DONE], pushed_after=read_at):
        values |= {name: value for name, value in (ours.sent_body or {}).items() if name in seen}
    values |= change.basis.get("values", {})
    seen = {name: shown for name, shown in seen.items() if name not in values}
    return replace(change, basis={"values": values, "seen": seen, "made": made})


def given_again(change: Change, row: Fields, zone: ZoneInfo) -> str:
    """Why a record is not the one that the author of a change saw: its id was given out again.
    Empty if it may be that one, or a person saw it since."""
    basis, before = change.basis, (change.fence or {}).get("before") or {}
    seen = basis.get("shown", {}).get("made") or basis.get("made") or before.get("created_date")
    shown = row.get("created_date")
    then, now = seconds_of(seen, zone), seconds_of(shown, zone)
    if then is None or now is None or now <= then + SLACK:
        return ""
    # A list and a record's own path may tell one moment in two forms, the zones of which differ by
    # quarters.
    first, second = ((parse_moment(text, zone) or "")[_SECOND:] for text in (seen, shown))
    if first != second and now - then <= _ZONES and (now - then) % _QUARTER == 0:
        return ""
    return f"its id was given out again: the record there now was made at {row['created_date']}"


def was_seen(outbox: Outbox, change: Change) -> bool:
    """Whether push, mirror or queue ever saw the record of a delete."""
    shop, resource, record = change.shop, change.resource, str(change.record_id)
    return bool(
        (change.fence or {}).get("before") is not None
        or rows_of_warehouse(outbox.path.parent, shop, resource, [record])[0]
        or outbox.of_record(change, before=change.number, states=[State.DONE])
        or record in outbox.made(shop, resource)
    )


def old_values(change: Change | NewChange) -> dict[str, str]:
    """What each field of a change was when it was queued, as far as anybody saw it."""
    basis, found = change.basis, {}
    for name in change.body:
        if name in basis.get("values", {}):
            found[name] = str(basis["values"][name])
        elif seen := basis.get("seen", {}).get(name):
            text = str(next(iter(seen.values())))
            is_long = re.fullmatch(r"-?\d+\.\d{4}", text)
            found[name] = text.rstrip("0").rstrip(".") if is_long else text
    return found


_PRICES = ("price", "cost", "offerPrice")
_MOST_REMARKS = 20


def remarks(changes: Sequence[NewChange]) -> list[str]:
    """What looks like a mistake and may be meant: prices that are negative, zero, halved or
    doubled, records that occur twice, and creates that are alike in all."""
    found, places = list[str](), dict[tuple[str, str], str]()
    for change in changes:
        target = change.record_id if isinstance(change.record_id, str) else ""
        for name in filter(change.body.__contains__, _PRICES):
            new, old = Decimal(str(change.body[name])), _amount(old_values(change).get(name))
            what = f"{change.at}{name}" + (f" of {target}" if target else "")
            if new <= 0:
                found.append(f"{what} is {new}" + ("" if old is None else f", was {old}"))
            elif old and (new <= old / 2 or new >= old * 2):
                found.append(f"{what} goes from {old} to {new} ({(new - old) / old:+.0%})")
        said = target if change.op == "update" else ""
        if change.op == "create" and change.key is None:
            said = json.dumps(change.body, default=str).replace(change.marker or "", "")
        first = places.setdefault((change.resource, said), change.where) if said else change.where
        if first != change.where:
            told = f"{target} stands in {first}, too: the last counts"
            found.append(
                change.at + (told if target else f"it is {first} again, and both are sent")
            )
    more = [f"... and {len(found) - _MOST_REMARKS} more like these"]
    return found[:_MOST_REMARKS] + more * (len(found) > _MOST_REMARKS)


def _amount(text: str | None) -> Decimal | None:
    try:
        return parse_amount(text).normalize() if text else None
    except ValueError:
        return None


def _expected(outbox: Outbox, change: Change, body: Fields) -> tuple[Fields, Fields]:
    """``values`` and ``seen`` of a basis, moved on by what earlier changes set since this one was
    queued; of one that was sent, as the record was before: what that request set is ours."""
    if change.attempts and (before := (change.fence or {}).get("before")):
        return {}, {name: picture(change.resource, name, before) for name in body}
    values = dict(change.basis.get("values", {}))
    for [own] in outbox.ask("set_since", number=change.number):
        values |= json.loads(own)
    return values, change.basis.get("seen", {})


def conflicts(
    outbox: Outbox, change: Change, body: Fields, row: Fields, zone: ZoneInfo
) -> dict[str, tuple[str, str]]:
    """Fields that moved away from the basis at the service, and are not ours: field -> as it was,
    and as it is. What a later change of ours set is ours, too: it was sent before a backup was put
    back."""
    resource, (values, seen) = change.resource, _expected(outbox, change, body)
    shown = change.basis.get("shown", {}).get("seen", {})
    found: dict[str, tuple[str, str]] = {}
    for name in body:
        if compare(resource, name, body[name], row, zone) is Match.SAME:
            continue
        if name in values and name not in shown:
            grade = compare(resource, name, values[name], row, zone)
            # What an earlier change of ours set may be of a field that is always shown as empty.
            is_known = values[name] == change.basis.get("values", {}).get(name)
            is_emptied = grade is Match.HIDDEN and is_known and _is_empty(resource, name, row)
            if grade < Match.HIDDEN or is_emptied:
                found[name] = str(values[name]), words_of(resource, name, row)
        elif name in shown or name in seen:
            then = shown.get(name, seen.get(name))
            if moved := _moved(then, picture(resource, name, row), zone):
                found[name] = moved
    for later in outbox.of_record(change, after=change.number, states=OPEN) if found else ():
        for name in found.keys() & later.body.keys():
            if compare(resource, name, later.body[name], row, zone) is Match.SAME:
                del found[name]
    return found


def _is_empty(resource: str, name: str, row: Fields) -> bool:
    """Whether a record shows a field, with nothing in it."""
    columns = row.keys() & set(columns_of(resource, name))
    return bool(columns) and not picture(resource, name, row)


def _moved(then: Fields, now: Fields, zone: ZoneInfo) -> tuple[str, str] | None:
    """The first column that shows another value now: as it was, and as it is."""
    columns = sorted(((then.keys() & now.keys()) or then.keys() | now.keys()) - _VOLATILE)
    pairs = ((then.get(column, ""), now.get(column, "")) for column in columns)
    return next((pair for pair in pairs if not same(*pair, zone)), None)


def words_of(resource: str, name: str, row: Fields) -> str:
    """What a cleaned row shows of a request field, for people."""
    return ", ".join(dict.fromkeys(picture(resource, name, row).values()))


def due_conflict(
    outbox: Outbox, change: Change, body: Fields, invoices: Rows, payments: Rows
) -> tuple[str, dict[str, Any]] | None:
    """Why a payment is not booked without a person's word, and what the service showed: its
    invoice is no longer due, or less of it than the payment. None if it is, or a person saw just
    this."""
    ours = _cents_of(body["lines"])
    if ours <= 0:
        return None  # a refund
    due = _due(
        invoices, max(_cents_of(payments.values()), _booked_lately(outbox, change, invoices))
    )
    statuses = {name: words_of("ticket_invoices", "status", row) for name, row in invoices.items()}
    shown = {"statuses": statuses, "due": due}
    approved = change.basis.get("shown", {})
    if approved | shown == approved:
        return None
    for name, status in statuses.items():
        words = set(re.findall(r"[^\W\d_]+", status.casefold()))
        if "paid" in words and not words & _NOT_PAID:
            return f"invoice {name} is {status}: was it paid meanwhile?", shown
        if due is None and words and not words & _NOT_PAID:
            told = f"invoice {name} is '{status}' and shows no amount, so nothing says what is due"
            return told, shown
    if due is not None and ours > due:
        told = f"{due / 100:.2f} is due, and the payment is {ours / 100:.2f}"
        return f"{told}: was it paid meanwhile?", shown
    return None


_NOT_PAID = frozenset("due overdue unpaid not part partial partly partially".split())
"""Words of a status that say that something is due, beside the specification's ``Due``."""
_LEFT = ("amount_due", "due_amount", "balance_due", "balance", "due", "outstanding", "remaining")
_PAID = ("amount_paid", "paid_amount", "total_paid", "paid")


def _cents_of(rows: Iterable[Fields]) -> int:
    return sum(cents(row.get("amount")) or 0 for row in rows)


def _booked_lately(outbox: Outbox, change: Change, invoices: Rows) -> int:
    """Hundredths that are paid of invoices at least: what was before our first payment of the last
    hour, and ours since. Services have been seen to show what is new a while late."""
    since = outbox.clock.wall() - _LATE_SECONDS
    done = outbox.changes(
        shop=change.shop, resource=change.resource, states=[State.DONE], pushed_after=since
    )
    ours = [one for one in done if {*invoices_of(one.sent_body or one.body)} <= invoices.keys()]
    if not ours:
        return 0
    first = min(ours, key=lambda one: one.sent_at or 0.0).fence or {}
    before = sum(cents(amount) or 0 for amount in (first.get("known") or {}).values())
    return before + sum(_cents_of(one.body["lines"]) for one in ours)


def _due(invoices: Rows, booked: int) -> int | None:
    """Hundredths that are due of invoices: what they say is left, or their totals less what was
    ``booked`` and returned; the less of the two. None where amounts are not shown."""

    def shown(*names: str) -> int | None:
        found = [
            next((c for name in names if (c := cents(row.get(name))) is not None), None)
            for row in invoices.values()
        ]
        return None if None in found else sum(map(int, filter(None, found)))

    returned = _cents_of(one for row in invoices.values() for one in row.get("returns") or ())
    total, left = shown("amount_total"), shown(*_LEFT)
    open_ = None if total is None else total - max(booked, shown(*_PAID) or 0) - returned
    return min((amount for amount in (open_, left) if amount is not None), default=None)


def kept(resource: str, body: Fields, row: Fields) -> dict[str, Any]:
    """The part of a record that can later tell whether an update was applied."""
    wanted: dict[str, Any] = {}
    for name in body:
        wanted |= picture(resource, name, row)
        wanted |= {root: row[root] for root in columns_of(resource, name) if root in row}
    return wanted | {
        extra: row[extra] for extra in ("lines", "created_date", *NAMES) if extra in row
    }
