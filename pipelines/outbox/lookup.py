"""Looking up at the service whether a create was applied, without an idempotency key.

The API has none, so a create whose answer was lost is looked for: among the records that are new
since a *baseline*, the ids that were there before the request was sent. Filters of the service are
not used to narrow the search by name: how it matches is not specified, and a filter that misses the
record would read as "not there" and double it. Instead all recent records are read: those created
(tickets: updated, as the bare list hides tickets outside the pipeline) since the day before, or the
newest where the list has no date filter. One reading serves all changes of a resource in a push.

A look is only evidence of absence when it is whole: every page up to the end, or, on lists without
dates, up to every record of the baseline. Anything less raises :class:`LookUnsure`.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal

from pipelines.outbox.compare import cleaned, shows
from sources.repair_shop.errors import BadAnswer, NotAllowed, NotFound, ValidationRefused
from sources.repair_shop.http.client import Client

PAGE = 50
"""Specification, Limits: records per request."""
MOST_PAGES = 20
"""A shop does not create a thousand records a day; a list that goes on is not being narrowed."""

KEYS: Mapping[str, tuple[str, ...]] = {
    "customers": ("name",),
    "tickets": ("shortInfo",),
    "ticket_comments": ("comment",),
    "ticket_timers": ("startDate", "endDate"),
    "products": ("code",),
    "models": ("name",),
    "categories": ("name",),
    "brands": ("name",),
    "stock": ("product", "quantity"),
    "adjustments": ("adjustment_date",),
    "leads": ("name",),
    "appointments": ("subject", "dateandtime"),
    "time_clock": ("inDate",),
}
"""Resource -> request fields that a record must show to be taken for the one we created."""

MARKER_FIELDS: Mapping[str, str] = {
    "customers": "comments",
    "tickets": "issueDescription",
    "ticket_comments": "comment",
    "ticket_timers": "notes",
    "payments": "invoiceNote",
    "products": "description",
    "adjustments": "notes",
    "leads": "description",
    "appointments": "description",
    "time_clock": "inNotes",
}
"""Resource -> free-text field that takes a marker, where the user allows it."""

_MISSING = re.compile(r"not (be )?found|does ?n.t exist|does not exist|no such|unknown", re.I)
_NEWEST_ONLY = ("ticket_comments", "ticket_timers")
_PATHS: Mapping[str, tuple[str, str]] = {
    "customers": ("/customers", "createdDateFrom"),
    "tickets": ("/tickets/updated", "updatedDateFrom"),
    "ticket_comments": ("/ticketComments", ""),
    "ticket_timers": ("/ticketTimers", ""),
    "products": ("/products", "createdDateFrom"),
    "models": ("/models", "createdDateFrom"),
    "categories": ("/categories", "createdDateFrom"),
    "brands": ("/brands", "createdDateFrom"),
    "stock": ("/stock", "createdDateFrom"),
    "adjustments": ("/adjustments", "createdDateFrom"),
    "leads": ("/leads", "createdDateFrom"),
    "appointments": ("/appointments", "createdDateFrom"),
    "time_clock": ("/timeClock", "createdDateFrom"),
}


class LookUnsure(Exception):
    """The service did not show all there is to see, so nothing can be concluded from it."""


@dataclass(frozen=True)
class Verdict:
    """What was found of a change in doubt. ``found`` is for the person who reads the queue."""

    kind: Literal["applied", "absent", "unclear"]
    id: str | None = None
    found: str = ""


class Looker:
    """Reads recent records of one shop; may be shared by threads."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._zone = client.shop.zone
        self._baselines: dict[str, list[str]] = {}
        self._lock = threading.Lock()

    def baseline(self, resource: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """What is there before a create: ids (kept for the push, as it only grows) and the day.

        For payments the payments of the invoices (``listed``: as ``GET /payments`` has them, too,
        because a detail embeds none); :class:`NotFound` if an invoice does not exist. A list that
        cannot be read whole leaves a baseline marked ``unsure``, which adopts nothing.
        """
        since = (datetime.now(UTC).astimezone(self._zone) - timedelta(days=1)).date()
        if resource == "payments":
            payments, whole = self._embedded(body)
            base: dict[str, Any] = {"since": since.isoformat(), "listed": not whole}
            try:
                return base | {"ids": list(payments if whole else payments | self._listed(body))}
            except (LookUnsure, BadAnswer) as unsure:
                return base | {"ids": [], "unsure": str(unsure)}
        with self._lock:
            if resource not in self._baselines:
                try:
                    found = self.recent(resource, since, known=None)
                except LookUnsure as unsure:
                    return {"ids": [], "since": since.isoformat(), "unsure": str(unsure)}
                self._baselines[resource] = list(found)
            return {"ids": list(self._baselines[resource]), "since": since.isoformat()}

    def created(self, resource: str, record_id: str) -> None:
        """A record that one of our own changes made: later baselines hold it."""
        with self._lock:
            if record_id not in self._baselines.get(resource, [record_id]):
                self._baselines[resource].append(record_id)

    def recent(
        self, resource: str, since: date, known: frozenset[str] | None
    ) -> dict[str, dict[str, Any]]:
        """Cleaned records by id. ``known`` None takes a baseline: on lists without a date filter
        the newest page is enough for one; else they are read until all of ``known`` came by."""
        path, filter_name = _PATHS[resource]
        params: dict[str, Any] = {"sort": "newest"}
        if resource == "tickets":
            params = {"includeLines": "true"}
        if filter_name:
            params[filter_name] = since
        found: dict[str, dict[str, Any]] = {}
        by_offset = False
        for number in range(MOST_PAGES):
            paging: dict[str, Any] = {} if number == 0 else {"page": number + 1}
            if by_offset:
                paging = {"offset": number * PAGE, "limit": PAGE}
            page = self._next_page(path, {**params, **paging}, resource, first=number == 0)
            if number and not by_offset and not page.keys() - found.keys():
                # Seen in the wild: page 2 is empty or page 1 again, and offset/limit works.
                by_offset = True
                paging = {"offset": number * PAGE, "limit": PAGE}
                page = self._next_page(path, {**params, **paging}, resource, first=False)
            new = page.keys() - found.keys()
            found.update(page)
            if len(page) < PAGE:
                return found
            if not new:
                if self._is_end(path, params, resource, found):
                    return found
                raise LookUnsure(f"{path} repeats a full page instead of going on")
            if not filter_name and (known is None or known <= found.keys()):
                return found
        raise LookUnsure(f"{path} has more than {MOST_PAGES} pages of recent records")

    def _is_end(
        self, path: str, params: Mapping[str, Any], resource: str, found: Mapping[str, Any]
    ) -> bool:
        """Whether nothing comes after full pages: the other end of the list is among them.

        A service that ignores ``sort`` shows the same end again, which proves nothing.
        """
        if "sort" not in params:
            return False
        oldest = self._page(path, {**params, "sort": "oldest"}, resource)
        return oldest.keys() <= found.keys() and list(oldest)[:1] != list(found)[:1]

    def _embedded(self, body: Mapping[str, Any]) -> tuple[dict[str, dict[str, Any]], bool]:
        """Payments of a payment's invoices by id, as the invoices' details embed them; and whether
        every detail does (an empty list is a list)."""
        found: dict[str, dict[str, Any]] = {}
        whole = True
        for invoice in _invoices(body):
            record = self._client.get(f"/ticketInvoices/{invoice}").detail()
            payments = cleaned(record, "ticket_invoices", self._zone).get("payments")
            whole = whole and isinstance(payments, list)
            for payment in payments or []:
                found[str(payment.get("id") or payment.get("payment_id"))] = payment
        return found, whole

    def _listed(self, body: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """The same payments as ``GET /payments`` has them. One invoice a request: how a list of
        ids is written in a query is not specified."""
        found: dict[str, dict[str, Any]] = {}
        for invoice in _invoices(body):
            answer = self._client.get("/payments", {"invoiceId": invoice})
            rows = [cleaned(row, "payments", self._zone) for row in answer.rows()]
            if len(rows) >= PAGE:
                raise LookUnsure("/payments answered a full page for the invoice")
            found |= {str(row["id"]): row for row in rows}
        return found

    def find_created(
        self,
        resource: str,
        body: Mapping[str, Any],
        baseline: Mapping[str, Any],
        *,
        marker: str | None,
        ours: frozenset[str],
    ) -> Verdict:
        """Look once for the record a lost create may have made. ``ours`` are ids of records that
        other changes of the queue made. May raise :class:`LookUnsure` and errors of the wire."""
        known = frozenset(baseline["ids"])
        if "unsure" in baseline:
            raise LookUnsure(f"what was there before was not known: {baseline['unsure']}")
        if resource == "payments":
            return self._find_payment(body, known | ours, listed=bool(baseline.get("listed")))
        since = date.fromisoformat(baseline["since"])
        recent = self.recent(resource, since, known)
        fresh = {key: row for key, row in recent.items() if key not in known | ours}
        if marker:
            marked = [key for key, row in fresh.items() if marker in json.dumps(row, default=str)]
            if len(marked) == 1:
                return Verdict("applied", marked[0], f"record {marked[0]} holds our marker")
        exact: list[str] = []
        alike: list[str] = []
        for key, row in fresh.items():
            if resource in _NEWEST_ONLY and _older(row, since):
                continue
            seen = {
                name: shows(resource, name, value, row, self._zone) for name, value in body.items()
            }
            if any(seen.get(name) is False for name in KEYS[resource]):
                continue
            whole = all(seen.get(name) for name in KEYS[resource]) and False not in seen.values()
            (exact if whole else alike).append(key)
        if len(exact) == 1 and not alike:
            return Verdict("applied", exact[0], f"record {exact[0]} is new and shows what was sent")
        if exact or alike:
            return Verdict(
                "unclear",
                None,
                f"new records that may be it: {', '.join(exact + alike)}",
            )
        return Verdict("absent", None, f"not among {len(recent)} recent records")

    def _find_payment(
        self, body: Mapping[str, Any], known: frozenset[str], *, listed: bool
    ) -> Verdict:
        seen, _ = self._embedded(body)
        if listed:
            # Only where the baseline was: else an old payment would look new.
            seen |= self._listed(body)
        fresh = {key: row for key, row in seen.items() if key not in known}
        if not fresh:
            return Verdict("absent", None, "the invoice has no payment that was not there before")
        if others := _others_notes(body, fresh):
            return Verdict(
                "unclear", None, f"payments new on the invoice, of other notes: {', '.join(others)}"
            )
        wanted = sorted(str(_cents(line["amount"])) for line in body["lines"])
        amounts = sorted(str(_cents(row.get("amount") or 0)) for row in fresh.values())
        whole = sum(_cents(line["amount"]) for line in body["lines"])
        several = isinstance(body["invoiceId"], list) and len(body["invoiceId"]) > 1
        if amounts == wanted or (
            several and sum(_cents(row.get("amount") or 0) for row in fresh.values()) == whole
        ):
            return Verdict(
                "applied", min(fresh), f"payment {', '.join(fresh)} is new and equals it"
            )
        return Verdict(
            "unclear",
            None,
            f"payments new on the invoice, of other amounts than sent: {', '.join(fresh)}",
        )

    def _next_page(
        self, path: str, params: Mapping[str, Any], resource: str, *, first: bool
    ) -> dict[str, dict[str, Any]]:
        """A page; one beyond the end may be answered as an error, which then is an empty page."""
        try:
            return self._page(path, params, resource)
        except (NotFound, ValidationRefused) as error:
            if first or isinstance(error, NotAllowed):
                raise
            return {}

    def _page(
        self, path: str, params: Mapping[str, Any], resource: str
    ) -> dict[str, dict[str, Any]]:
        rows = self._client.get(path, params).rows()
        return {row["id"]: row for row in (cleaned(row, resource, self._zone) for row in rows)}

    def record(self, resource: str, path: str, record_id: str) -> dict[str, Any] | None:
        """One record, cleaned; None when the service says that it does not exist."""
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
        return cleaned(found, resource, self._zone)


def _invoices(body: Mapping[str, Any]) -> list[Any]:
    """Ids of the invoices a payment is for, each once."""
    found = body["invoiceId"]
    return list(dict.fromkeys(found if isinstance(found, list) else [found]))


def _others_notes(body: Mapping[str, Any], fresh: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Ids of the payments whose note is none that we sent: the till took them, though of our
    amount. A payment shown without a note may be any."""
    notes = {str(line.get("paymentNote") or "").strip() for line in body["lines"]}
    if "" in notes:
        return []
    shown = {key: str(row.get("payment_note") or "").strip() for key, row in fresh.items()}
    return [key for key, note in shown.items() if note and note not in notes]


def _cents(amount: Any) -> int:
    return int((Decimal(str(amount)) * 100).to_integral_value())


def _older(row: Mapping[str, Any], since: date) -> bool:
    created = str(row.get("created_date") or "")[:10]
    return bool(created) and created < since.isoformat()
