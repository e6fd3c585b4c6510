"""What the sync and ``status`` need of the queue: the records pushed, the rows of ``ops.changes``,
and what is done and the mirror does not show."""

import json
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from pipelines.outbox.basis import rows_of_warehouse, words_of
from pipelines.outbox.change import Change, Fields, invoices_of
from pipelines.outbox.match import is_deleted, left_out
from pipelines.outbox.origin import find, misdirected
from pipelines.outbox.store import FILE_NAME, STAMP, Outbox
from pipelines.publish.published import Published
from pipelines.settings import ShopSettings

_UTC = ZoneInfo("UTC")
_MOST = 0.5


@dataclass(frozen=True)
class Touched:
    """A record that a push wrote, or changed along. ``is_deleted``: it deleted this very record."""

    shop: str
    resource: str
    id: str
    is_deleted: bool


def touched_since(home: Path, shop: str | None = None) -> list[Touched]:
    """Records pushed and not read back yet, oldest first; ``resource`` is the raw table's name."""
    return [Touched(**dict(row)) for row in _rows(home, "unread", shop=shop)]


def _rows(home: Path, name: str, **values: Any) -> list[Any]:
    """The rows of a statement; none where there is no queue."""
    if not (home / FILE_NAME).is_file():
        return []
    with Outbox(home) as outbox:
        return outbox.ask(name, **values)


def mark_mirrored(
    home: Path, shop: str, records: Collection[tuple[str, str]], *, read_at: float
) -> None:
    """The sync has these ``(resource, id)`` in the warehouse as they were at ``read_at``.

    A record that was pushed again after it was read stays to be read.
    """
    if records:
        with Outbox(home) as outbox, outbox.transaction():
            for resource, one in records:
                read = {"shop": shop, "now": time.time(), "read_at": read_at}
                outbox.ask("mark_mirrored", resource=resource, id=one, **read)


def not_shown(home: Path, built: Published | None = None) -> list[tuple[str, str]]:
    """Changes that are done, and that the mirror does not show as they were written: what a service
    answered and did not do. The shop, and words for people.

    A sync compares, with the warehouse that it has ``built``, what it read back, at no request, and
    again until it is as it was written. Others are told what the last one found."""
    if not (home / FILE_NAME).is_file():
        return []
    with Outbox(home) as outbox:
        if built is not None:
            _compare_written(outbox, built)
        return [
            (
                row["shop"],
                f"change {row['number']} ({row['op']} {row['resource']} {row['id']}) is done, but "
                f"the service shows otherwise: {row['shown']}. Mend it there, or queue it again; "
                f"'queue discard {row['number']}' if it is as it should be",
            )
            for row in outbox.ask("not_shown")
        ]


def _compare_written(outbox: Outbox, built: Published) -> None:
    wanted: dict[tuple[str, str], list[Any]] = {}
    for row in outbox.ask("uncompared"):
        wanted.setdefault((row["shop"], row["resource"]), []).append(row)
    for (shop, resource), written in wanted.items():
        ids = [row["id"] for row in written]
        found, served = rows_of_warehouse(outbox.path.parent, shop, resource, ids, built)
        for row in written:
            shown = _difference(row, found.get(row["id"]), served)
            if shown == "" and row["op"] == "create" and row["marker"]:
                shown = _twins(row, built)
            names = ("shop", "resource", "id", "number")
            outbox.ask("compared", shown=shown, **{name: row[name] for name in names})


def _difference(written: Any, row: Fields | None, served: Mapping[str, float]) -> str:
    """What a record shows otherwise than it was written; empty if nothing."""
    if row is None:
        return "" if written["op"] == "delete" else "the service shows no such record"
    if row.get("_deleted_at") or is_deleted(row):
        return ""
    if written["op"] == "delete":
        return "the record is still there"
    fence = json.loads(written["fence"] or "{}")
    if fence.get("restored") and "before" not in fence:
        return ""  # another copy sent it, so nobody can tell what staff changed since
    resource, sent = written["resource"], json.loads(written["sent_body"])
    if resource == "payments" and len(sent["lines"]) == 1:
        sent["amount"] = sent["lines"][0]["amount"]
    plain = {name: value for name, value in sent.items() if not isinstance(value, list)}
    before = fence.get("before")
    # Some columns are filled for the few alone that are read by their own paths.
    often = {column for column, share in served.items() if share >= _MOST}
    told = often if before is None else before
    return "; ".join(
        f"{name} was set to '{sent[name]}' and is '{words_of(resource, name, row)}'"
        for name in left_out(resource, plain, before, row, _UTC, told)
    )


def _twins(written: Any, built: Published) -> str:
    """More records that hold a create's marker than it made: the request was sent again on its
    way. Empty if there are none."""
    body = json.loads(written["sent_body"])
    is_paid = written["resource"] == "payments"
    made = len(body["lines"]) * len(invoices_of(body)) if is_paid else 1
    table = f"raw.{written['resource']}"
    tests = (f'regexp_matches("{name}"::varchar, $own)' for name in built.columns[table])
    found = built.rows(
        f"select id from {table} where shop_id = $shop and _deleted_at is null "  # noqa: S608 - names are of the table itself
        f"and ({' or '.join(tests)}) order by id",
        # What stands in objects is another's: in the invoice of a payment, all its payments.
        {"shop": written["shop"], "own": f"(?is)^[^{{]*{written['marker']}"},
    )
    ids = ", ".join(str(row["id"]) for row in found)
    return f"{len(found)} records hold its marker: {ids}" if len(found) > made else ""


_PROBLEMS = {
    "in_doubt": "in doubt",
    "rejected": "rejected",
    "conflict": "in conflict",
    "orphaned": "that wait for a rejected one",
}


def problems(home: Path, shops: Sequence[ShopSettings] = ()) -> tuple[dict[str, int], list[str]]:
    """Changes by state, and what a person has to look at, in words. What somebody discarded need
    not be looked at again. ``shops``: those of the settings."""
    if not (home / FILE_NAME).is_file() and not (home / STAMP).is_file():
        return {}, []
    with Outbox(home) as outbox:
        counts = outbox.counts()
        [discarded], [orphaned] = outbox.ask("discarded")[0], outbox.ask("orphaned")[0]
        waiting = counts | {"rejected": counts["rejected"] - discarded, "orphaned": orphaned}
        told = [
            f"{waiting[state]} change(s) {words}: 'shopmirror queue list' says what to do"
            for state, words in _PROBLEMS.items()
            if waiting[state]
        ]
        for words, count in Counter(misdirected(outbox, shops).values()).items():
            told.append(f"{count} change(s) not sent: {words}")
        found, unsettled = find(outbox), outbox.ask("unsettled", shop=None)
        foreign = ", ".join(row["shop"] for row in unsettled if row["kind"] == "foreign")
        if found.standing == "foreign":
            told.append(f"The queue sends nothing: it is a copy, {found.why} ('queue adopt')")
        elif foreign:
            told.append(f"The queue is a copy, not adopted for: {foreign} ('queue adopt')")
    return counts, told + [f"{shop}: {words}" for shop, words in not_shown(home)]


def history_rows(home: Path) -> list[dict[str, Any]]:
    """One row for each change, for ``ops.changes``: who queued it, what was sent, what the service
    answered, and whether the mirror shows it. Times are aware (UTC), bodies JSON text."""
    return [
        dict(row)
        | {name: _utc(row[name]) for name in ("queued_at", "pushed_at")}
        | {"is_mirrored": bool(row["is_mirrored"])}
        for row in _rows(home, "told")
    ]


def brief(change: Change) -> dict[str, Any]:
    """A change as ``queue list --json`` shows it (interface page)."""
    found = {name: getattr(change, name) for name in _BRIEF.split()}
    found["id"] = change.id if change.id is not None else change.record_id
    for name in ("queued_at", "pushed_at"):
        moment = _utc(found[name])
        found[name] = moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None
    return found


_BRIEF = (
    "number shop resource op record_id state id reason attempts queued_by queued_at pushed_at body"
)


def _utc(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
