"""Recent records of a list, read by the scans of the sync (:mod:`sources.repair_shop.scan`).

Data flow: service -> pages -> a proven scan -> cleaned records by id. A read that is not proven
raises :class:`LookupUnsure`: it is no evidence of anything.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from pipelines.bodies import PATHS
from pipelines.outbox.change import Fields
from sources.repair_shop.errors import BadAnswer, NoRows, NotAllowed, NotFound, ValidationRefused
from sources.repair_shop.http.client import Client
from sources.repair_shop.ledger import Page
from sources.repair_shop.scan import (
    PAGE_ROWS,
    Outcome,
    PagingBroken,
    read_head,
    read_list,
    read_window,
)
from sources.repair_shop.schema.clean import clean_row, made_up_id, row_id

MOST_PAGES = 20
"""A shop does not create a thousand records a day; a list that goes on is not being narrowed."""
_MOST_ASKED = 3 * MOST_PAGES
_FAR = 100_000
UNREADABLE = "_unreadable_record"
"""Field of a record that could not be read, with the reason: it may be anything."""

LISTS: Mapping[str, tuple[str, str]] = {
    **{resource: (path, "createdDateFrom") for resource, path in PATHS.items()},
    "tickets": ("/tickets/updated", "updatedDateFrom"),
    "ticket_comments": ("/ticketComments", ""),
    "ticket_timers": ("/ticketTimers", ""),
}
"""Resource -> the list that shows new records, and its filter by day ("": it has none). The bare
list of tickets hides those outside the pipeline (specification, Tickets)."""


class LookupUnsure(Exception):
    """The service did not show all there is to see, so nothing can be concluded from it."""


@dataclass(frozen=True)
class Verdict:
    """What was found of a change in doubt. ``found`` is for the person who reads the queue.

    ``late``: absent from a list that does not show other new records yet."""

    kind: Literal["applied", "absent", "late", "unclear"]
    found: str
    id: str | None = None


class RecentReader:
    """Pages of one read; ``rows`` holds the cleaned records seen, by id.

    ``since`` narrows the list by day. A row is fresh unless it is ``known`` or of a day before
    ``floor``.
    """

    def __init__(
        self,
        client: Client,
        resource: str,
        *,
        since: date | None = None,
        known: frozenset[str] = frozenset(),
        floor: date | None = None,
        by_offset: bool = False,
    ) -> None:
        self.rows: dict[str, dict[str, Any]] = {}
        self._client, self._resource = client, resource
        self.path, filter_name = LISTS[resource]
        self._known, self._floor, self._by_offset = known, floor, by_offset
        self._params: dict[str, Any] = {"includeLines": "true"} if resource == "tickets" else {}
        self.sorts = resource != "tickets"
        if filter_name and since is not None:
            self._params[filter_name] = since
        self._asked = 0

    def ask(self, key: str, number: int, order: str | None) -> Page:
        """See :class:`sources.repair_shop.scan.Reader`."""
        return self._ask(number, order, self._by_offset)

    def ask_by_offset(self, key: str, number: int, order: str | None) -> Page | None:
        """The page by offset and limit; None if pages are asked so already."""
        return None if self._by_offset else self._ask(number, order, True)

    def lanes(self, last: int) -> int:
        """One: these reads are short."""
        return 1

    def _ask(self, number: int, order: str | None, by_offset: bool) -> Page:
        self._asked += 1
        if number > MOST_PAGES + 1 or self._asked > _MOST_ASKED:
            raise LookupUnsure(f"{self.path} has more than {MOST_PAGES} pages of recent records")
        params = {**self._params, **_page(number, by_offset)}
        if order is not None and self.sorts:
            params["sort"] = order
        try:
            rows = self._client.get(self.path, params).rows()
        except NotAllowed:
            raise
        except (NotFound, NoRows, ValidationRefused) as error:
            if number == 1 or not self._is_past_the_end(error, params, by_offset):
                raise
            rows = []
        return self._taken(rows)

    def _is_past_the_end(self, error: BadAnswer, params: Fields, by_offset: bool) -> bool:
        """Whether a refused page is refused as one that no list has, and not for another reason."""
        if isinstance(error, NoRows):
            return True
        try:
            self._client.get(self.path, {**params, **_page(_FAR, by_offset)}).rows()
        except BadAnswer as far:
            return far.wording == error.wording
        return False

    def _taken(self, rows: list[dict[str, Any]]) -> Page:
        ids, days = [], []
        for raw in rows:
            identity = row_id(raw, self._resource) or made_up_id(raw)
            row = self._cleaned(raw, identity)
            self.rows[identity] = row
            ids.append(identity)
            days.append(day_of(row))
        fresh = [
            identity not in self._known
            and (day is None or self._floor is None or day >= self._floor)
            for identity, day in zip(ids, days, strict=True)
        ]
        return Page(tuple(ids), tuple(days), tuple(fresh))

    def _cleaned(self, raw: Fields, identity: str) -> dict[str, Any]:
        try:
            return clean_row(raw, self._resource, self._client.shop.zone)
        except Exception as error:  # noqa: BLE001 - whatever one record holds, the others are read
            return {"id": identity, UNREADABLE: f"{type(error).__name__}: {error}"}


def newest_page(client: Client, resource: str) -> dict[str, dict[str, Any]]:
    """The newest page of a list, whatever its days."""
    reader = RecentReader(client, resource)
    reader.ask("newest:1", 1, "newest")
    return reader.rows


def read_window_since(
    client: Client, resource: str, since: date | None
) -> dict[str, dict[str, Any]]:
    """Cleaned records by id of a window since a day; None: of the whole list."""

    def window(reader: RecentReader) -> Outcome:
        return read_window(reader, order="newest" if reader.sorts else None)

    whole = [] if resource == "tickets" else [(read_list, False)]
    return _first_proven(client, resource, [(window, False), (window, True), *whole], since=since)


def read_down_to(
    client: Client, resource: str, known: frozenset[str], floor: date | None
) -> dict[str, dict[str, Any]]:
    """Cleaned records by id from the newest down to the ``known`` ones, whatever their days; those
    older than ``floor`` count as known."""

    def head(reader: RecentReader) -> Outcome:
        outcome = read_head(reader, order="newest", since=None, live=len(known))
        if outcome.proven and not outcome.whole:
            newest = reader.ask("sorted:1", 1, "newest")
            if newest.ids == reader.ask("sorted:2", 1, "oldest").ids:
                outcome.reason = "newest and oldest give the same order"
        return outcome

    ways = [(head, False), (head, True)]
    return _first_proven(client, resource, ways, known=known, floor=floor)


def _first_proven(
    client: Client,
    resource: str,
    ways: Sequence[tuple[Callable[[RecentReader], Outcome], bool]],
    **narrowed: Any,
) -> dict[str, dict[str, Any]]:
    """What the first way of paging that works shows (True: by offset); :class:`LookupUnsure` if
    none does."""
    broken = ""
    for read, by_offset in ways:
        reader = RecentReader(client, resource, by_offset=by_offset, **narrowed)
        try:
            outcome = read(reader)
        except PagingBroken as why:
            broken = broken or f"{reader.path} does not page: {why}"
            continue
        if not outcome.proven:
            raise LookupUnsure(f"{reader.path} was not read whole: {outcome.reason}")
        return reader.rows
    raise LookupUnsure(broken)


def day_of(row: Fields) -> date | None:
    """The day a record was created, as the service says."""
    try:
        return date.fromisoformat(str(row.get("created_date") or "")[:10])
    except ValueError:
        return None


def _page(number: int, by_offset: bool) -> dict[str, int]:
    if by_offset:
        return {"offset": (number - 1) * PAGE_ROWS, "limit": PAGE_ROWS}
    return {} if number == 1 else {"page": number}
