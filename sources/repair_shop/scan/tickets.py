"""Reading every ticket, not only those in the pipeline.

``GET /tickets`` without a status shows only tickets in the pipeline (specification, Tickets), so
all of them are read as two lists: status X, and status not X. A service that keeps hiding closed
tickets would leave a hole that nobody sees; so the newest page of ``/tickets/updated`` is held
against what was read, and if it knows a ticket that we do not, everything is read from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, Protocol

from ..errors import NotAllowed, NotFound, ValidationRefused
from ..http.answers import parse_json, rows_of
from ..ledger import Ledger, Page
from ..scan import Outcome, read_list, read_window
from ..scan.reader import HALF_KEY, ServiceReader
from ..schema.clean import made_up_id, row_id

_SINCE_EVER = date(2000, 1, 1)

HIDDEN_KEY = "hides tickets"
"""Ledger key of a shop whose lists hide tickets whatever status is asked for."""


class MakeReader(Protocol):
    """Makes a reader of the same scan with other parameters."""

    def __call__(
        self, prefix: str = "", path: str | None = None, params: Mapping[str, Any] | None = None
    ) -> ServiceReader:
        """``prefix`` keeps the keys of several readers apart."""


def repair_status(ledger: Ledger, shop: str) -> str | None:
    """A status label of type 'repair' of this shop: New if there is one, else the first.

    Of each status the newest answer counts: an odd one of an earlier night names none for good.
    """
    newest: dict[str, dict[str, Any]] = {}
    for body in ledger.newest_bodies(shop, "statuses", 20):
        for row in rows_of(parse_json(body), "/statuses"):
            newest.setdefault(row_id(row, "statuses") or made_up_id(row), row)
    labels = [
        label
        for identity, row in newest.items()
        if isinstance(label := row.get("label") or row.get("status") or row.get("name"), str)
        and str(row.get("type", "repair")) == "repair"
        and not ledger.is_deleted(shop, "statuses", identity)
    ]
    kept = ledger.value(shop, HALF_KEY)
    if kept is not None and (kept in labels or not labels):
        return kept
    label = "New" if "New" in labels else (labels[0] if labels else None)
    if label is not None:
        ledger.set_value(shop, HALF_KEY, label)
    return label


def halves(label: str) -> tuple[tuple[bool, dict[str, str]], ...]:
    """Both halves of the list, as what asks for them; the one with the status first."""
    return (
        (True, {"status": label, "statusCondition": "EQUAL"}),
        (False, {"status": label, "statusCondition": "NOT-EQUAL"}),
    )


def read_tickets(
    ledger: Ledger,
    shop: str,
    reader: MakeReader,
    params: Mapping[str, Any],
    hint: int | None,
    since: date | None = None,
    *,
    whole: bool,
    is_sorted: bool = True,
) -> Outcome:
    """Read the tickets of a window, or with ``whole`` all of them."""
    label = repair_status(ledger, shop)
    if label is None:
        if not whole:
            return Outcome(reason="the service names no status to ask closed tickets by")
        out = _from_updated(reader, Outcome(whole=True))
        ledger.set_value(shop, HIDDEN_KEY, "yes")
        return out
    (_, equal), (_, other) = halves(label)
    # Named after the label: a scan that goes on under another one must not mix their halves.
    not_it = reader(f"ne:{label}:", None, {**params, **other})
    rest = read_list(not_it, hint=hint, since=since) if is_sorted else read_window(not_it)
    same = (read_list if is_sorted else read_window)(
        reader(f"eq:{label}:", None, {**params, **equal})
    )
    out = Outcome(
        proof=f"status not {label}: {rest.proof}; status {label}: {same.proof}",
        reason="; ".join(filter(None, (rest.reason, same.reason))),
        whole=True,
    )
    out.add(rest)
    out.add(same)
    if not whole:
        return out
    try:
        updated = _newest_updated(reader)
    except NotFound:
        if ledger.value(shop, HIDDEN_KEY):
            raise  # it was there, and showed what these lists hide
        out.proof += "; there is no /tickets/updated to hold it against"
        return out
    out.take(updated)
    hidden = set(updated.ids) - rest.ids - same.ids
    created_since = all(_is_new(ledger, shop, identity) for identity in hidden)
    hides = bool(hidden) and not created_since
    ledger.set_value(shop, HIDDEN_KEY, "yes" if hides else "")
    return _from_updated(reader, out) if hides else out


def _newest_updated(reader: MakeReader) -> Page:
    """The tickets changed last. Raises :class:`NotFound` where there is no such path: one 404 alone
    says little, and a service may refuse so long a time."""
    try:
        check = reader("check:", "/tickets/updated", {"updatedDateFrom": _SINCE_EVER})
        return check.ask("updated:1", 1, None)
    except (NotFound, ValidationRefused) as error:
        if isinstance(error, NotAllowed):
            raise
        return reader("check again:", "/tickets/updated", {}).ask("updated:1", 1, None)


def _is_new(ledger: Ledger, shop: str, identity: str) -> bool:
    """Whether a ticket was made today (UTC, a day of slack): then the lists just missed it."""
    day = ledger.day_of(shop, "tickets", identity)
    return day is not None and day >= (datetime.now(UTC) - timedelta(days=2)).date()


def _from_updated(reader: MakeReader, out: Outcome) -> Outcome:
    more = read_window(reader("all:", "/tickets/updated", {"updatedDateFrom": _SINCE_EVER}))
    more.proof = f"the lists hide tickets, so all were read by their last change: {more.proof}"
    more.ids |= out.ids
    more.page_rows = more.page_rows or out.page_rows
    more.pages += out.pages
    return more
