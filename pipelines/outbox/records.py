"""What the service shows: one record, what is new in a list, the payments of an invoice.

A look that did not show all there is to see raises :class:`Unsure`: it is no evidence of anything.
A list is whole when a page has fewer rows than fit on one. A list of several pages is read until
two readings agree, since rows that come or go in between move others from page to page. A full page
with nothing behind it is asked for by offset, too (field notes, Behaviour).
"""

import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from pipelines.bodies import PATHS
from pipelines.outbox.change import Fields
from sources.repair_shop.errors import BadAnswer, NotAllowed, NotFound, ValidationRefused
from sources.repair_shop.http.client import Client
from sources.repair_shop.schema.clean import clean_row, made_up_id, row_id
from sources.repair_shop.schema.dates import parse_moment

PAGE_ROWS = 50
INVOICES = "ticket_invoices"
_PATHS = {**PATHS, INVOICES: "/ticketInvoices"}
_BY_AGE = {"sort": "newest"}
MOST_PAGES = 20
"""A shop does not create a thousand records a day; a list that goes on is not being narrowed."""
_ZONES = timedelta(hours=14)
"""Zones differ by no more from UTC: what a time without an offset leaves open."""
SLACK = 120.0
"""Seconds that a ``Date`` in whole seconds and a slow answer leave open."""
_UNSORTED = "/tickets/updated"
_LISTS: Mapping[str, tuple[tuple[str, str], ...]] = {
    **{resource: ((path, "createdDateFrom"),) for resource, path in PATHS.items()},
    # The bare list hides those outside the pipeline (specification, Tickets); the other may hide
    # those that nobody updated yet.
    "tickets": ((_UNSORTED, "updatedDateFrom"), ("/tickets", "createdDateFrom")),
    "ticket_comments": (("/ticketComments", ""),),
    "ticket_timers": (("/ticketTimers", ""),),
}
"""Resource -> the lists that show new records, each with its filter by day ("": it has none)."""
OWN_DATES = {"tickets": "createdDate", "time_clock": "inDate"}
"""Resource -> the field by which its author, and not the service, may date a record."""
_DELETED = ("deleted", "is_deleted", "deleted_at", "deleted_on", "deleted_date", "date_deleted")

Found = dict[str, dict[str, Any]]


class Unsure(Exception):
    """The service did not show all there is to see, so nothing can be concluded from it."""


class Gone(Exception):
    """A record is not there (any more); the message says which."""


class Records:
    """Reads records of one shop."""

    def __init__(self, client: Client, now: Callable[[], float]) -> None:
        self._client, self._now = client, now
        self._zone = client.shop.zone
        self._by_offset = False
        self._found_by_path: set[str] = set()
        self._nobody: dict[str, str] = {}

    # -- one record ---------------------------------------------------------------------------

    def one(self, resource: str, record_id: str) -> dict[str, Any] | None:
        """One record, cleaned; None when the service says that it does not exist, or that it was
        deleted."""
        path = _PATHS[resource]
        try:
            answer = self._client.get(f"{path}/{record_id}")
        except NotFound:
            return None
        except ValidationRefused as error:
            if isinstance(error, NotAllowed) or not self._is_no_record(path, record_id, error):
                raise
            return None
        found = answer.detail()
        if not found:
            raise BadAnswer("an empty object instead of the record", path=path)
        row = clean_row(found, resource, self._zone)
        named = {str(value).casefold().lstrip("0") for value in row.values()}
        if row_id(row, "") and record_id.casefold().lstrip("0") not in named:
            raise BadAnswer("another record than the one asked for", path=path)
        return None if _is_deleted(row) else row

    def _is_no_record(self, path: str, record_id: str, error: BadAnswer) -> bool:
        """Whether a refusal is how a list answers for a record that nobody has: no status is
        specified for it (Errors, 5), so an id just made up is refused alike. Asked once a list."""
        if path not in self._nobody:
            nobody = str(uuid.uuid4()) if "-" in record_id else f"{record_id}0000"
            self._nobody[path] = ""
            try:
                self._client.get(f"{path}/{nobody}")
            except BadAnswer as other:
                self._nobody[path] = _words_without(nobody, other)
        return _words_without(record_id, error) == self._nobody[path]

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
        rows = self._client.get(_PATHS[resource], {"sort": "newest"}).rows()
        ids = [str(row.get("id")) for row in rows if not _is_deleted(row)]
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
        """What is there before a create: ``since`` when, the ``known`` ids (with their created
        date), and how to look again: ``from`` a day, or from the newest down to the known ones.

        ``unsure`` says why the list tells nothing.
        """
        fence: dict[str, Any] = {"since": None, "known": {}, "from": None}
        today = datetime.fromtimestamp(self._now(), UTC).astimezone(self._zone).date()
        try:
            for days in (1, 60) if resource == "tickets" else (1,):
                if not _LISTS[resource][0][1]:
                    break
                fence["from"] = (today - timedelta(days=days)).isoformat()
                if rows := self._since(resource, fence["from"]):
                    return fence | {"known": _dated(rows), "since": self._now()}
            rows = self._newest(resource)
        except Unsure as unsure:
            return fence | {"unsure": str(unsure), "since": self._now()}
        # Asked before, what time it is there would be a guess by our clock, which people set.
        return fence | {"from": None, "known": _dated(rows), "since": self._now()}

    def new(self, resource: str, body: Fields, fence: Fields) -> Found:
        """Records that are not of before the fence, and that may be of the body's author."""
        if unsure := fence.get("unsure"):
            raise Unsure(f"what was there before was not known: {unsure}")
        known, own = fence.get("known"), body.get(OWN_DATES.get(resource, ""))
        rows = self._recent(resource, fence, own)
        if known and not rows.keys() & known.keys():
            raise Unsure("the list shows none of the records that were there before")
        return {
            key: row
            for key, row in rows.items()
            if not _is_known(key, row, known or {}) and (own or not self.is_older(row, fence))
        }

    def is_older(self, row: Fields, fence: Fields) -> bool:
        """Whether a record is surely of before the fence."""
        since, latest = fence.get("since"), latest_of(row.get("created_date"), self._zone)
        if since is None or latest is None:
            return False
        return latest.timestamp() < float(since) - SLACK

    def _recent(self, resource: str, fence: Fields, own: Any) -> Found:
        if fence.get("known") is not None and fence.get("from") is None:
            return self._newest(resource, fence["known"])
        first = fence.get("from")
        if first is None:
            since = fence.get("since")
            back = timedelta(days=31) if since is None else _ZONES
            moment = datetime.fromtimestamp(self._now() if since is None else since, UTC)
            first = (moment - back).date().isoformat()
        if own and (iso := parse_moment(own, self._zone)):
            first = min(first, iso[:10])
        path, has_days = _LISTS[resource][0]
        rows = self._since(resource, first) if has_days else {}
        if rows or fence.get("known") is not None:
            return rows
        newest = self._newest(resource)  # which is sorted by age, or nothing can be said
        if not newest:
            raise Unsure("the list shows no record at all")
        if not has_days:
            return self._read(path, _BY_AGE, _until(first))
        if any(str(row.get("created_date") or "")[:10] >= first for row in newest.values()):
            raise Unsure("the filter by day leaves out records of that day")
        return rows

    def _since(self, resource: str, first: str) -> Found:
        rows: Found = {}
        for path, name in _LISTS[resource]:
            rows |= self._read(path, {name: date.fromisoformat(first)})
        return rows

    def _newest(self, resource: str, known: Fields | None = None) -> Found:
        """The list from its newest down to the ``known`` ones, or its newest page."""
        path = _LISTS[resource][-1][0]
        if known is not None:
            return self._read(path, _BY_AGE, lambda page: all(key in known for key in page))
        rows, is_full = self._page(path, _BY_AGE, 1)
        if is_full:
            self._oldest(path, _BY_AGE, rows)
        return rows

    def _oldest(self, path: str, params: Fields, rows: Found) -> Found:
        """A list's oldest page. :class:`Unsure` if ``rows``, its newest ones, begin alike."""
        page, _ = self._page(path, {**params, "sort": "oldest"}, 1)
        if list(page) == list(rows)[: len(page)]:
            raise Unsure(f"{path} gives the same order for newest and oldest")
        return page

    # -- pages --------------------------------------------------------------------------------

    def _read(
        self, path: str, params: Fields, enough: Callable[[Found], bool] = lambda page: False
    ) -> Found:
        """A list whole, or down to a page that is ``enough``."""
        last: Found | None = None
        for _ in range(4):
            rows, pages = self._walk(path, params, enough)
            if pages == 1 or (last is not None and last.keys() == rows.keys()):
                return rows
            last = rows
        raise Unsure(f"{path} changes faster than it can be read")

    def _walk(
        self, path: str, params: Fields, enough: Callable[[Found], bool]
    ) -> tuple[Found, int]:
        rows, is_full = self._page(path, params, 1, by_offset=self._by_offset)
        if not is_full or enough(rows):
            return rows, 1
        for number in range(2, MOST_PAGES + 1):
            page, is_full = self._behind(path, params, number, rows)
            rows |= page
            if not is_full or enough(page):
                return rows, number
        raise Unsure(f"{path} has more than {MOST_PAGES} pages of recent records")

    def _behind(self, path: str, params: Fields, number: int, rows: Found) -> tuple[Found, bool]:
        """The page behind full ones, and whether it is full itself; empty at the end of the list.

        A refusal or an empty page may be a fault. The end is proven by the list's other end: its
        oldest rows are among those that were read.
        """
        is_empty = True
        for by_offset in (True,) if self._by_offset else (False, True):
            try:
                page, is_full = self._page(path, params, number, by_offset=by_offset)
            except NotAllowed:
                raise
            except BadAnswer:
                is_empty = False
                continue
            if page.keys() - rows.keys():
                self._by_offset = by_offset
                return page, is_full
            is_empty = is_empty and not page
        if path == _UNSORTED:
            is_end = is_empty  # both ways of paging say so
        else:
            is_end = self._oldest(path, params, rows).keys() <= rows.keys()
        if is_end:
            return {}, False
        raise Unsure(f"{path} shows nothing behind a full page, and not its end")

    def _page(
        self, path: str, params: Fields, number: int, *, by_offset: bool = False
    ) -> tuple[Found, bool]:
        """A page, and whether it is full."""
        asked = dict(params) | ({"includeLines": "true"} if path.startswith("/tickets") else {})
        if by_offset:
            asked |= {"offset": (number - 1) * PAGE_ROWS, "limit": PAGE_ROWS}
        elif number > 1:
            asked["page"] = number
        raw = self._client.get(path, asked).rows()
        rows = {row_id(row, "") or made_up_id(row): self._cleaned(row, path) for row in raw}
        return rows, len(raw) >= PAGE_ROWS

    def _cleaned(self, raw: Fields, path: str) -> dict[str, Any]:
        resource = next(name for name, lists in _LISTS.items() if path in dict(lists))
        try:
            return clean_row(raw, resource, self._zone)
        except Exception as error:
            # It may be anything; the look at it ends with a person.
            raise Unsure(f"a record of {path} cannot be read: {error}") from error

    # -- invoices and payments ----------------------------------------------------------------

    def invoices(self, ids: Iterable[str]) -> Found:
        """Invoices by id, their payments embedded where the service does so. :class:`Gone` if one
        is."""
        return {invoice: self.there(INVOICES, invoice) for invoice in ids}

    def payments(
        self, invoices: Mapping[str, Fields], *, is_listed: bool = False
    ) -> tuple[Found, bool]:
        """Payments of invoices by id; and whether the list of payments was asked, too, because a
        detail embeds none (or as ``is_listed`` says)."""
        rows: Found = {}
        for number, record in invoices.items():
            embedded = record.get("payments")
            is_listed = is_listed or not isinstance(embedded, list)
            for place, payment in enumerate(embedded or []):
                named = payment.get("id") or payment.get("payment_id")
                rows[str(named or f"{number}#{place}")] = dict(payment)
        if is_listed:
            rows = _joined(rows, self.listed_payments(invoices))
        return rows, is_listed

    def listed_payments(self, invoices: Mapping[str, Fields]) -> Found:
        """The same as ``GET /payments`` has them. One invoice a request: how a list of ids is
        written in a query is not specified."""
        found: Found = {}
        for invoice in invoices:
            answer = self._client.get("/payments", {"invoiceId": invoice})
            rows = [clean_row(row, "payments", self._zone) for row in answer.rows()]
            if len(rows) >= PAGE_ROWS:
                raise Unsure("/payments answered a full page for the invoice")
            found |= {str(row["id"]): row for row in rows}
        return found


def _joined(embedded: Found, listed: Found) -> Found:
    names = {str(row.get("payment_id")) for row in listed.values()} | listed.keys()
    return listed | {key: row for key, row in embedded.items() if key not in names}


def _until(first: str) -> Callable[[Found], bool]:
    """Whether a page is all of before a day."""
    return lambda page: all(
        (shown := str(row.get("created_date") or "")[:10]) and shown < first
        for row in page.values()
    )


def _dated(rows: Found) -> dict[str, str]:
    return {key: str(row.get("created_date") or "") for key, row in rows.items()}


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


def seconds_of(text: Any, zone: ZoneInfo) -> float | None:
    """The moment that a time means, in the shop's zone where it names none, in seconds since 1970;
    None for a day, and for none."""
    iso = parse_moment(text, zone) if text else None
    if iso is None or len(iso) == 10:
        return None
    shown = datetime.fromisoformat(iso)
    return (shown if shown.tzinfo else shown.replace(tzinfo=zone)).timestamp()


def _words_without(record_id: str, error: BadAnswer) -> str:
    """What a refusal says of any record: its words without the id and without numbers."""
    return re.sub(r"[0-9]+", "#", str(error).replace(record_id, "*"))


def _is_deleted(row: Fields) -> bool:
    """Whether a record says of itself that it was deleted: some services keep them so."""
    marks = (str(row.get(name) or "").strip().lower() for name in _DELETED)
    said = any(mark not in ("", "0", "false", "no") and mark[:4] != "0000" for mark in marks)
    return said or str(row.get("status")).lower() == "deleted"
