"""Looking up at the service whether a create was applied, without an idempotency key.

The API has none, so a create whose answer was lost is looked for: among the records that are new
since a *baseline*, the ids that were there before the request was sent. Filters of the service are
not used to narrow the search by name: how it matches is not specified, and a filter that misses the
record would read as "not there" and double it. Instead all recent records are read
(:mod:`pipelines.outbox.recent`), since a day on which records known to be there were created: a
lookup that shows none of those shows nothing.
"""

import re
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from pipelines.bodies import PATHS
from pipelines.outbox.change import NAMES, Change, Fields, Rows
from pipelines.outbox.compare import (
    KEYS,
    MARKER_FIELDS,
    distorts,
    holds,
    is_cut,
    picture,
    shows,
)
from pipelines.outbox.paid import Payments, find_payment
from pipelines.outbox.recent import (
    LookupUnsure,
    Verdict,
    day_of,
    newest_page,
    read_down_to,
    read_window_since,
)
from sources.repair_shop.errors import BadAnswer, NotFound, ValidationRefused
from sources.repair_shop.http.client import Client
from sources.repair_shop.scan import PAGE_ROWS
from sources.repair_shop.schema.clean import clean_row

_WINDOW = (1,)
_WINDOWS: Mapping[str, tuple[int, ...]] = {
    "tickets": (1, 60),
    "ticket_comments": (),
    "ticket_timers": (),
}
"""Days back from today at which windows are tried until one shows a record. Then the newest page
does, whatever its days; of tickets the whole list, which cannot be sorted."""
_MOST_DETAILS = 10
"""Records read by their own path, at most, to see whether they hold a marker."""
_DELETED = ("deleted", "is_deleted", "deleted_at", "deleted_on", "deleted_date", "date_deleted")
_MISSING = re.compile(r"not (be )?found|does ?n.t exist|does not exist|no such|unknown", re.I)


class Lookup:
    """Reads recent records of one shop; may be shared by threads."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._zone = client.shop.zone
        self.payments = Payments(client)
        self._baselines: dict[str, dict[str, Any]] = {}
        self._made: dict[str, deque[str]] = {}
        self._lock = threading.Lock()

    def baseline(self, resource: str, body: Fields) -> dict[str, Any]:
        """What is there before a create: ids, and how to look it up: ``since`` a day, or from the
        newest down to these ids (``floor``: their first day). The ids are read once a push, and a
        page of those that it made is added: with all, a long queue's file grew by the square.

        For payments the payments of the invoices; :class:`NotFound` if an invoice does not exist.
        A list that cannot be read whole leaves a baseline marked ``unsure``, which adopts nothing.
        """
        if resource == "payments":
            return self.payments.baseline(body)
        with self._lock:
            kept = self._baselines.get(resource)
            if kept is None:
                try:
                    kept = self._read_baseline(resource)
                except LookupUnsure as unsure:
                    return {"ids": [], "since": "", "unsure": str(unsure)}
                self._baselines[resource] = kept
            return {**kept, "ids": [*kept["ids"], *self._made.get(resource, ())]}

    def _read_baseline(self, resource: str) -> dict[str, Any]:
        """Ids of recent records: of a window that shows some, else of the newest page."""
        today = self._client.clock.earlier().astimezone(self._zone).date()
        for days in _WINDOWS.get(resource, _WINDOW):
            since = today - timedelta(days=days)
            if found := read_window_since(self._client, resource, since):
                return {"ids": list(found), "since": since.isoformat()}
        if resource == "tickets":
            found = read_window_since(self._client, resource, None)
            return {"ids": list(found), "since": ""}
        found = newest_page(self._client, resource)
        floor = min(filter(None, map(day_of, found.values())), default=None)
        return {"ids": list(found), "since": "", "floor": floor.isoformat() if floor else ""}

    def created(self, resource: str, record_id: str) -> None:
        """A record that one of our own changes made: later baselines hold it."""
        with self._lock:
            self._made.setdefault(resource, deque(maxlen=PAGE_ROWS)).append(record_id)

    def find_created(
        self, lost: Change, *, ours: frozenset[str], made: frozenset[str], others: Sequence[Fields]
    ) -> Verdict:
        """Look once for the record a lost create may have made. ``ours``: ids of records that other
        changes of the queue made; ``made``: those that a list of recent records has to show;
        ``others``: bodies of other creates whose answers were lost.

        May raise :class:`LookupUnsure` and errors of the wire.
        """
        body, baseline = lost.sent_body or {}, lost.baseline or {"unsure": "no baseline"}
        answered = lost.progress.get("answered")
        if "unsure" in baseline:
            raise LookupUnsure(f"what was there before was not known: {baseline['unsure']}")
        known = frozenset(baseline["ids"])
        if lost.resource == "payments":
            is_listed = bool(baseline.get("listed"))
            seen, _ = self.payments.found(body, lost.marker, known | ours, is_listed)
            return find_payment(seen, body, lost.marker, answered)
        recent = self._since_baseline(lost.resource, baseline, known)
        fresh = {key: row for key, row in recent.items() if key not in known | ours}
        exact, alike = self.resembling(lost.resource, body, fresh, others, wide=True)
        since = _day(baseline.get("since"))
        if lost.resource == "tickets" and since is not None:
            # They are listed by when they changed: one made long ago may turn up as new.
            old = [key for key in exact if (day_of(fresh[key]) or since) < since]
            exact, alike = [key for key in exact if key not in old], alike + old
        names = {key: {key, *(str(row.get(name)) for name in NAMES)} for key, row in recent.items()}
        taken = [key for key in exact if names[key] & ours]
        exact, alike = [key for key in exact if key not in taken], alike + taken
        late = sorted(made.difference(*names.values()))
        if late and not exact and not alike:
            return Verdict("late", f"the list does not show {', '.join(late[:3])} of ours yet")
        if not lost.marker and answered in exact + alike:
            return Verdict("applied", f"record {answered} is new, as answered", answered)
        return self.concluded(lost, body, fresh, exact, alike)

    def _since_baseline(
        self, resource: str, baseline: Fields, known: frozenset[str]
    ) -> dict[str, dict[str, Any]]:
        """Recent records, proved to reach back to those that were there before."""
        since, floor = (_day(baseline.get(name)) for name in ("since", "floor"))
        if since is not None or "floor" not in baseline or not known:
            recent = read_window_since(self._client, resource, since)
        else:
            recent = read_down_to(self._client, resource, known, floor)
        if known and known.isdisjoint(recent):
            raise LookupUnsure("the list shows none of the records that were there before")
        # What is older than all that was there before is not new, though further down the list.
        return {
            key: row
            for key, row in recent.items()
            if floor is None or (day_of(row) or floor) >= floor
        }

    def resembling(
        self,
        resource: str,
        body: Fields,
        fresh: Rows,
        others: Sequence[Fields] = (),
        *,
        wide: bool = False,
    ) -> tuple[list[str], list[str]]:
        """New records that show all that was sent, and those that may, as far as can be seen; one
        that shows what another change sent (``others``) is no distorted picture of this one.
        ``wide``: the answer was lost just now, so whatever comes near is more likely ours."""
        exact: list[str] = []
        alike: list[str] = []
        for key, row in fresh.items():
            seen = {name: shows(resource, name, body[name], row, self._zone) for name in body}
            keys = [seen.get(name) for name in KEYS[resource]]
            if False not in keys:
                whole = all(keys) and False not in seen.values()
                (exact if whole else alike).append(key)
            elif distorts(resource, body, row, self._zone, wide=wide) and not any(
                shows(resource, name, other.get(name, ""), row, self._zone)
                for other in others
                for name in KEYS[resource]
            ):
                alike.append(key)
        return exact, alike

    def concluded(
        self,
        change: Change,
        body: Fields,
        fresh: Rows,
        exact: list[str],
        alike: list[str],
        twins: Callable[[], int] = lambda: 1,
    ) -> Verdict:
        """What follows from new records for a create. ``twins``: how many changes are the very
        same, any of which may have made any of the records that are."""
        if change.marker:
            return self._marked(change.resource, change.marker, body, fresh, exact + alike)
        if exact and not alike and len(exact) <= twins():
            first = min(exact, key=lambda key: (str(fresh[key].get("created_date")), key))
            return Verdict("applied", f"record {first} is new and shows what was sent", first)
        if exact or alike:
            named = ", ".join(exact + alike)
            return Verdict("unclear", f"new records that may be it: {named}")
        return Verdict("absent", f"not among {len(fresh)} new records")

    def _marked(
        self, resource: str, marker: str, body: Fields, fresh: Rows, resembling: list[str]
    ) -> Verdict:
        """Only the record that holds the marker is ours; details may show what a list does not. One
        whose notes are the beginning of ours may be, too: the service may have cut it off."""
        marked = [key for key, row in fresh.items() if holds(row, marker)]
        hidden: list[str] = []
        name = MARKER_FIELDS[resource]
        for key in [] if marked else resembling:
            row: Fields | None = fresh[key]
            if not _shows_notes(resource, row) and len(hidden) < _MOST_DETAILS:
                row = self.record(resource, key)
            if row is not None and holds(row, marker):
                marked.append(key)
            elif not _shows_notes(resource, row) or (
                row is not None and is_cut(resource, name, body.get(name), row)
            ):
                hidden.append(key)
        if len(marked) == 1:
            return Verdict("applied", f"record {marked[0]} holds our marker", marked[0])
        if marked or hidden:
            named = ", ".join(marked or hidden)
            why = "hold our marker" if marked else "may be it, but do not show their notes whole"
            return Verdict("unclear", f"new records that {why}: {named}")
        return Verdict("absent", f"no marker of ours among {len(fresh)} new records")

    def deleted(self, resource: str, record_id: str) -> Verdict:
        """Whether a record that was to be deleted is gone."""
        if self.record(resource, record_id) is not None:
            return Verdict("absent", "the record is still there")
        self._shows_others(resource, record_id)
        return Verdict("applied", "the record is gone", record_id)

    def _shows_others(self, resource: str, record_id: str) -> None:
        """:class:`LookupUnsure` if a record that seems gone is in its list still, or others are not
        found under paths of their own."""
        rows = self._client.get(PATHS[resource], {"sort": "newest"}).rows()
        ids = [str(row.get("id")) for row in rows if not _is_deleted(row)]
        if record_id in ids:
            raise LookupUnsure("the record is still in its list, though not under its own path")
        if ids and self.record(resource, ids[0]) is None:
            raise LookupUnsure(f"no record is found under its own path, {ids[0]} neither")

    def record(self, resource: str, record_id: str) -> dict[str, Any] | None:
        """One record, cleaned; None when the service says that it does not exist, or that it was
        deleted."""
        path = PATHS[resource]
        try:
            answer = self._client.get(f"{path}/{record_id}")
        except NotFound:
            return None
        except ValidationRefused as error:
            # The status of "no such record" is not specified; the error's words are all there is.
            if _MISSING.search(error.reason):
                return None
            raise
        found = answer.detail()
        if not found:
            raise BadAnswer("an empty object instead of the record", path=path)
        row = clean_row(found, resource, self._zone)
        return None if _is_deleted(row) else row


def _shows_notes(resource: str, row: Fields | None) -> bool:
    """Whether a record shows the field that a marker is in, with one or without; a record that is
    gone shows all it will."""
    return row is None or bool(picture(resource, MARKER_FIELDS[resource], row))


def _is_deleted(row: Fields) -> bool:
    """Whether a record says of itself that it was deleted: some services keep them so."""
    marks = (str(row.get(name) or "").strip().lower() for name in _DELETED)
    said = any(mark not in ("", "0", "false", "no") and mark[:4] != "0000" for mark in marks)
    return said or str(row.get("status")).lower() == "deleted"


def _day(text: Any) -> date | None:
    return date.fromisoformat(text) if text else None
