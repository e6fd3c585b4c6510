"""What the service shows: one record, what is new in a list, the payments of an invoice.

A look that did not show all there is to see raises :class:`Unsure`: it is no evidence of anything.
A list is whole when a page has fewer rows than fit on one, and nothing is behind it. A list of
several pages is read until two readings agree, since rows that come or go in between move others
from page to page. A full page with nothing behind it is asked for by offset, too (field notes,
Behaviour).
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from pipelines.bodies import PATHS
from pipelines.outbox.change import Fields
from pipelines.outbox.match import SLACK, is_deleted
from sources.repair_shop.errors import BadAnswer, NotAllowed, NotFound
from sources.repair_shop.http.client import Client
from sources.repair_shop.http.refusals import refusal_of_nobody, words_without
from sources.repair_shop.schema.clean import clean_row
from sources.repair_shop.schema.dates import parse_moment

PAGE_ROWS = 50
INVOICES = "ticket_invoices"
_PATHS = {**PATHS, INVOICES: "/ticketInvoices"}
_UPDATED = "/updated"
_NAMES = {path: name for name, path in _PATHS.items()}
_BY_AGE = {"sort": "newest"}
MOST_PAGES = 20
"""A shop does not create a thousand records a day; a list that goes on is not being narrowed."""
_ZONES = timedelta(hours=14)
"""Zones differ by no more from UTC: what a time without an offset leaves open."""
_LONGEST_WAIT = 31 * 86400.0
"""Of a queue that never pushed, how far back a change of it may have been sent by another copy."""
OWN_DATES = {"tickets": "createdDate", "time_clock": "inDate"}
"""Resource -> the field by which its author, and not the service, may date a record."""

Found = dict[str, dict[str, Any]]


class Unsure(Exception):
    """The service did not show all there is to see, so nothing can be concluded from it."""


class Gone(Exception):
    """A record is not there (any more); the message says which."""


class Records:
    """Reads records of one shop."""

    def __init__(self, client: Client, now: Callable[[], float]) -> None:
        self._client, self.now = client, now
        self._zone = client.shop.zone
        self.partial: set[str] = set()
        """Resources whose lists may leave out what is new."""
        self._by_offset = False
        self._full: dict[str, int] = {}
        """Rows of a full page, of lists whose pages are shorter than specified."""
        self._short: dict[str, int] = {}
        """Rows of the longest first page that nothing was behind."""
        self._found_by_path: set[str] = set()
        self._nobody: dict[str, str] = {}

    # -- one record ---------------------------------------------------------------------------

    def one(self, resource: str, record_id: str) -> dict[str, Any] | None:
        """One record, cleaned; None when the service says that it does not exist, or that it was
        deleted."""
        path = _PATHS[resource]
        try:
            found = self._detail(path, record_id)
        except NotFound:
            return None
        except BadAnswer as error:
            is_odd = isinstance(error, NotAllowed) or error.transient
            if is_odd or not self._is_no_record(path, record_id, error):
                raise
            return None
        row = clean_row(found, resource, self._zone)
        named = {str(value).casefold().lstrip("0") for value in row.values()}
        if record_id.casefold().lstrip("0") not in named:
            raise BadAnswer("another record than the one asked for", path=path)
        return None if is_deleted(row) else row

    def _detail(self, path: str, record_id: str) -> dict[str, Any]:
        """What a record's own path answers; :class:`BadAnswer` if that is no record."""
        return self._client.get(f"{path}/{record_id}").detail()

    def _is_no_record(self, path: str, record_id: str, error: BadAnswer) -> bool:
        """Whether a list refuses an id just made up in the same words. Asked once a list."""
        if path not in self._nobody:
            self._nobody[path] = refusal_of_nobody(partial(self._detail, path), record_id)
        return words_without(record_id, error) == self._nobody[path]

    def there(self, resource: str, record_id: str) -> dict[str, Any]:
        """One record that has to be there. :class:`Gone` if it is not, and others are."""
        row = self.one(resource, record_id)
        if row is None:
            if self.is_gone(resource, record_id, is_answered=False):
                raise Gone(f"the service has no {resource} with id {record_id}")
            raise Unsure(f"{resource} {record_id} is found at times only")
        return row

    def is_gone(self, resource: str, record_id: str, *, is_answered: bool) -> bool:
        """Whether a record is gone, and others are not. :class:`Unsure` if it is in its list still,
        or others are not found under paths of their own; of deletes that the service
        says that it did (``is_answered``), that is asked once a push."""
        if self.one(resource, record_id) is not None:
            return False
        if is_answered and resource in self._found_by_path:
            return True
        rows, _ = self._page(_PATHS[resource], _BY_AGE, 1)
        ids = [key for key, row in rows.items() if not is_deleted(row)]
        if record_id in ids:
            raise Unsure("the record is still in its list, though not under its own path")
        if not ids and not is_answered:
            raise Unsure("the list shows no record at all")
        if ids and self.one(resource, ids[0]) is None:
            raise Unsure(f"no record is found under its own path, {ids[0]} neither")
        self._found_by_path.add(resource)
        return True

    # -- what is new in a list ----------------------------------------------------------------

    def fence(self, resource: str) -> dict[str, Any]:
        """What is there before a create: the ``known`` ids of the newest page (with their created
        date), whether that is the ``whole`` list, and ``since`` when.

        ``unsure`` says why the list tells nothing.
        """
        found: dict[str, Any] = {"known": {}, "whole": False}
        try:
            rows, is_full = self._page(_PATHS[resource], _BY_AGE, 1)
            if resource == "tickets":
                rows |= self._updated_since(self.now())
            dates = {key: str(row.get("created_date") or "") for key, row in rows.items()}
            found = {"known": dates, "whole": not is_full and resource not in self.partial}
        except Unsure as unsure:
            found["unsure"] = str(unsure)
        # Asked before, what time it is there would be a guess by our clock, which people set.
        return found | {"since": self.now()}

    def new(self, resource: str, body: Fields, fence: Fields) -> Found:
        """Records that are not of before the fence, and that may be of the body's author: the list
        from its newest down to those of before the fence, and of the day that the author names.
        Without the ids of before, those that are dated before are among them."""
        if unsure := fence.get("unsure"):
            raise Unsure(f"what was there before was not known: {unsure}")
        path, known = _PATHS[resource], fence.get("known")
        since = float(fence.get("since") or self.now() - _LONGEST_WAIT)
        own = parse_moment(body.get(OWN_DATES.get(resource, ""), ""), self._zone)
        if own:
            day = datetime.fromisoformat(own[:10]).replace(tzinfo=self._zone)
            since = min(since, day.timestamp())

        def is_of_before(page: Found) -> bool:
            return all(self._is_before(row, since) for row in [*page.values()][len(page) // 2 :])

        rows = self._read(path, _BY_AGE, is_of_before)
        if resource == "tickets":
            rows |= self._updated_since(since)
        if not rows and known is None:
            raise Unsure("the list shows no record at all")
        if known and not rows.keys() & known.keys():
            raise Unsure("the list shows none of the records that were there before")
        return {
            key: row
            for key, row in rows.items()
            if not _is_known(key, row, known or {})
            and (own or known is None or not self.is_older(row, fence))
        }

    def was_whole(self, resource: str, fence: Fields) -> bool:
        """Whether a fence knows all that was there: its page was not as long as pages are here."""
        full = self._full.get(_PATHS[resource])
        return bool(fence.get("whole")) and (full is None or len(fence["known"]) < full)

    def is_older(self, row: Fields, fence: Fields) -> bool:
        """Whether a record is surely of before the fence. The clock that dates it may be slow, or
        of another zone than it says; ours, where no answer tells the time, may be set at will."""
        since, known = fence.get("since") if self._client.clock.seen else None, fence.get("known")
        if since is None or not self._is_before(row, since - _ZONES.total_seconds()):
            return False
        if known == {}:
            return False  # nothing was there
        # It may be another clock than that of answers: what it dates after all of before is new,
        # where those were the newest ones.
        found = (latest_of(text, self._zone) for text in (known or {}).values())
        dates = [one for one in found if one is not None]
        newest = max(dates) if dates and dates[0] >= dates[-1] else None
        shown = latest_of(row.get("created_date"), self._zone)
        return newest is None or shown is None or shown < newest

    def _is_before(self, row: Fields, moment: float) -> bool:
        latest = latest_of(row.get("created_date"), self._zone)
        return latest is not None and latest.timestamp() < moment - SLACK

    def _updated_since(self, moment: float) -> Found:
        """Tickets that the bare list hides, as they are outside the pipeline (specification,
        Tickets); this one may hide those that nobody updated yet. Some services have it not."""
        first = (datetime.fromtimestamp(moment, UTC) - timedelta(days=1)).date()
        try:
            return self._read(_PATHS["tickets"] + _UPDATED, {"updatedDateFrom": first})
        except BadAnswer:
            self.partial.add("tickets")
            return {}

    # -- pages --------------------------------------------------------------------------------

    def _read(
        self, path: str, params: Fields, enough: Callable[[Found], bool] | None = None
    ) -> Found:
        """A list down to a page that is ``enough``, or whole if it is not in the order asked for.
        A list of several pages is read until two readings agree."""
        last: Found | None = None
        for _ in range(4):
            rows, pages = self._walk(path, params, enough)
            if pages == 1 or (last is not None and last.keys() == rows.keys()):
                return rows
            last = rows
        raise Unsure(f"{path} changes faster than it can be read")

    def _walk(
        self, path: str, params: Fields, enough: Callable[[Found], bool] | None
    ) -> tuple[Found, int]:
        rows, is_whole = self._first(path, params)
        page, is_full, oldest = rows, not is_whole, Found()
        if is_full and enough is not None:
            oldest, _ = self._page(path, {**params, "sort": "oldest"}, 1)
            if list(oldest) == list(rows)[: len(oldest)]:
                enough, oldest = None, {}
        for number in range(1, MOST_PAGES + 1):
            if not is_full or (enough is not None and enough(page)):
                return rows, number
            page, is_full = self._behind(path, params, number + 1, rows)
            rows = rows | page
            if not page and not (oldest and oldest.keys() <= rows.keys()):
                raise Unsure(f"{path} shows nothing behind a full page, and not its end")
        raise Unsure(f"{path} has more than {MOST_PAGES} pages of recent records")

    def _first(self, path: str, params: Fields) -> tuple[Found, bool]:
        """The first page, and whether it is all. One that is not full may be as long as pages are
        here: the specification says how long at most. What is behind as many rows is asked for
        once, by page and by offset."""
        rows, is_full = self._page(path, params, 1, by_offset=self._by_offset)
        if is_full or len(rows) <= self._short.get(path, 0):
            return rows, not is_full
        for by_offset in (False, True):
            try:
                behind, _ = self._page(path, params, 2, by_offset=by_offset, full=len(rows))
            except BadAnswer as error:
                if error.transient or isinstance(error, NotAllowed):  # it says nothing of an end
                    raise
                continue
            if behind.keys() - rows.keys():
                self._full[path] = len(rows)
                return rows, False
        self._short[path] = len(rows)
        return rows, True

    def _behind(self, path: str, params: Fields, number: int, rows: Found) -> tuple[Found, bool]:
        """The page behind full ones, and whether it is full itself; empty where none is shown: a
        refusal or an empty page may be a fault."""
        for by_offset in (True,) if self._by_offset else (False, True):
            try:
                page, is_full = self._page(path, params, number, by_offset=by_offset)
            except BadAnswer:
                continue
            if page.keys() - rows.keys():
                self._by_offset = by_offset
                return page, is_full
        return {}, False

    def _page(
        self, path: str, params: Fields, number: int, *, by_offset: bool = False, full: int = 0
    ) -> tuple[Found, bool]:
        """A page, and whether it is full: of ``full`` rows, or of as many as are known to be."""
        full = full or self._full.get(path, PAGE_ROWS)
        asked = dict(params) | ({"includeLines": "true"} if path.startswith("/tickets") else {})
        if by_offset:
            asked |= {"offset": (number - 1) * full, "limit": PAGE_ROWS}
        elif number > 1:
            asked["page"] = number
        raw, name = self._client.get(path, asked).rows(), _NAMES[path.removesuffix(_UPDATED)]
        rows = [clean_row(row, name, self._zone) for row in raw]
        return {row["id"]: row for row in rows}, len(raw) >= full

    # -- invoices and payments ----------------------------------------------------------------

    def invoices(self, ids: Iterable[str]) -> Found:
        """Invoices by id, their payments embedded where the service does so. :class:`Gone` if one
        is."""
        return {invoice: self.there(INVOICES, invoice) for invoice in ids}

    def payments(self, invoices: Mapping[str, Fields], *, listed: bool = False) -> Found:
        """Payments of invoices by id, as their details embed them; and as the list of payments has
        them, too, where one embeds none, or all that can be seen is wanted (``listed``)."""
        rows: Found = {}
        for number, record in invoices.items():
            embedded = record.get("payments")
            listed = listed or not isinstance(embedded, list)
            for place, payment in enumerate(embedded or []):
                named = payment.get("id") or payment.get("payment_id")
                rows[str(named or f"{number}#{place}")] = dict(payment)
        return self._listed(invoices, rows) if listed else rows

    def _listed(self, invoices: Iterable[str], rows: Found) -> Found:
        """Embedded payments with what the list has of them. One invoice a request: how a list of
        ids is written in a query is not specified."""
        for invoice in invoices:
            answer = self._client.get("/payments", {"invoiceId": invoice})
            found = [clean_row(row, "payments", self._zone) for row in answer.rows()]
            if len(found) >= PAGE_ROWS:
                raise Unsure("/payments answered a full page for the invoice")
            for row in found:
                names = str(row["id"]), str(row.get("payment_id"))
                embedded = rows.pop(next((name for name in names if name in rows), ""), {})
                rows[names[0]] = embedded | {k: v for k, v in row.items() if v is not None}
        return rows


def _is_known(key: str, row: Fields, known: Mapping[str, str]) -> bool:
    """Whether a record was there before: an id that was given out again has another date."""
    return key in known and not (
        known[key] and row.get("created_date") and known[key] != str(row["created_date"])
    )


def latest_of(text: Any, zone: ZoneInfo) -> datetime | None:
    """The latest moment that a time may mean, whatever it leaves open; None for none."""
    iso = parse_moment(text, zone) if text else None
    if iso is None:
        return None
    shown = datetime.fromisoformat(iso)
    open_ = _ZONES + timedelta(days=len(iso) == 10)
    return shown if shown.tzinfo else shown.replace(tzinfo=UTC) + open_
