"""Was a waiting change sent already, by another copy of this queue?

Asked for each change that waited when the queue was found to be older than what was done with it
(:mod:`pipelines.outbox.identity`), before it is sent. Whatever another copy did, it did after this
one was last used, so only what the service made since then can be it:

* A create is adopted from a record made since, which shows all that would be sent and is of no
  other change; of several alike changes each takes one. One that only resembles is for a person.
  In an older copy none is absent before ``settle_minutes``: lists may show late what was sent.
* A payment is adopted by its marker or its note. An equal one without is for a person: the till
  may have taken it. None of its amount since: it was not sent.
* An update whose record shows ours is done; else it goes on to the usual check of its basis.
* What acts each time (stock added, printing) and files, which nothing lists, are for a person where
  this is an older copy for sure; a machine that was merely off is believed.
"""

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from pipelines.outbox.basis import moved
from pipelines.outbox.change import Fields, Group, Rows, State
from pipelines.outbox.compare import retains
from pipelines.outbox.lookup import Lookup
from pipelines.outbox.order import ONCE_ONLY, filled, merged_base, missing_reference
from pipelines.outbox.outcome import settle_done
from pipelines.outbox.paid import cents, find_payment, note_of
from pipelines.outbox.recent import LookupUnsure, Verdict, read_down_to, read_window_since
from pipelines.outbox.store import Change, Outbox
from pipelines.settings import ShopSettings
from sources.repair_shop.errors import BadAnswer
from sources.repair_shop.http.client import Client
from sources.repair_shop.schema.dates import parse_moment

SLACK = timedelta(minutes=2)
"""What a ``Date`` in whole seconds and a slow answer leave open."""
_ZONES = timedelta(hours=14)
"""Zones differ by no more from UTC: what a time without an offset leaves open."""


@dataclass
class Earlier:
    """What another copy may have done, of one shop. Threads share it: a list is read once."""

    client: Client
    lookup: Lookup
    _lists: dict[str, tuple[float, dict[str, dict[str, Any]]]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def cleared(self, outbox: Outbox, group: Group, body: Fields) -> bool:
        """Whether changes that may have been sent were not, and so may be sent now.

        Otherwise they end here: done, or left for a person. Raises what keeps it from being looked
        up; they stay as they are then.
        """
        try:
            verdict, baseline = self._verdict(outbox, group, body)
        except LookupUnsure as unsure:
            verdict, baseline = Verdict("unclear", str(unsure)), {"ids": [], "since": ""}
        if verdict.kind == "absent":
            columns: dict[str, Any] = {"doubted_since": None, "is_copied": 0}
            settled = self._settled(group[0])
            if is_late := settled > outbox.now():
                told = f"{verdict.found}; sent by another copy just before, it may show late"
                columns = {"reason": told, "next_lookup": settled}
            outbox.set(group, "looked up", verdict.found, **columns)
            return not is_late
        self._doubt(outbox, group, body, baseline, verdict)
        if verdict.kind == "applied":
            found = verdict.id or str(group[0].record_id)
            settle_done(outbox, group, body, found, f"found: {verdict.found}", "adopted")
            self.lookup.created(group[0].resource, found)
        return False

    def _settled(self, change: Change) -> float:
        """When a list shows what another copy created, which it may have sent until this one was
        found to be older."""
        shop = ShopSettings.of(self.client.shop)
        is_recent = change.is_copied and change.op == "create" and change.sent_at is not None
        return (change.sent_at or 0) + shop.seconds(60) * shop.settle_minutes if is_recent else 0

    def _doubt(
        self, outbox: Outbox, group: Group, body: Fields, baseline: Fields, verdict: Verdict
    ) -> None:
        """What may have been sent is in doubt, as if this queue had sent it."""
        lead, *rest = group
        why = f"may have been sent by another copy of this queue: {verdict.found}"
        columns: dict[str, Any] = {"state": State.IN_DOUBT, "reason": why, "doubted_since": None}
        columns |= {"for_person": verdict.kind == "unclear", "is_copied": 0}
        sent = {"sent_body": body, "baseline": baseline, "sent_at": lead.doubted_since}
        with outbox.transaction():
            if not outbox.unmoved(group):
                raise LookupUnsure("somebody dealt with it meanwhile")
            outbox.set([lead], "in doubt", why, **sent, **columns)
            outbox.set(rest, "in doubt", why, merged_into=lead.number, **columns)

    def _verdict(
        self, outbox: Outbox, group: Group, body: Fields
    ) -> tuple[Verdict, dict[str, Any]]:
        """What the service shows of it, and a baseline for later lookups."""
        lead = group[0]
        after = self._after(group)
        if lead.resource == "payments":
            return self._payment(outbox, lead, body, after)
        if lead.op == "create":
            return self._created(outbox, lead, body, after)
        if lead.op == "upload":
            return _acts(group, "nothing lists uploads"), {}
        record_id = str(lead.record_id)
        if lead.op == "delete":
            return self.lookup.deleted(lead.resource, record_id), {}
        row = self.lookup.record(lead.resource, record_id)
        if row is None:
            return Verdict("absent", "there is no such record"), {}
        # What another copy sent after it of the same record is shown in its stead.
        later = outbox.of_record(lead, op="update", after=group[-1].number, states=[State.QUEUED])
        sent = [body, *(one.body for one in later if one.doubted_since is not None)]
        return self._updated(group, sent, row, after), {"before": {}}

    def _after(self, group: Group) -> datetime:
        """The service's time since when another copy may have sent it."""
        since = min(one.doubted_since for one in group if one.doubted_since is not None)
        return min(datetime.fromtimestamp(since, UTC), self.client.clock.now()) - SLACK

    # -- creates ------------------------------------------------------------------------------

    def _created(
        self, outbox: Outbox, change: Change, body: Fields, after: datetime
    ) -> tuple[Verdict, dict[str, Any]]:
        zone = self.client.shop.zone
        recent = self._recent(outbox, change, body, after)
        old = {
            k for k, row in recent.items() if surely_before(row.get("created_date"), after, zone)
        }
        known = old | outbox.made_by_others(change)
        fresh = {key: row for key, row in recent.items() if key not in known}
        day = (after - _ZONES).date()
        baseline = {"ids": sorted(known & recent.keys()), "since": day.isoformat()}
        exact, alike = self.lookup.resembling(change.resource, body, fresh)
        return self.lookup.concluded(
            change, body, fresh, exact, alike, lambda: _twins(outbox, change)
        ), baseline

    def _recent(
        self, outbox: Outbox, change: Change, body: Fields, after: datetime
    ) -> dict[str, dict[str, Any]]:
        """Records that may have been made since, read once a push and once more when they show:
        another copy is over."""
        resource, now = change.resource, outbox.now()
        with self._lock:
            read_at, found = self._lists.get(resource, (-1.0, {}))
            if read_at < 0 or read_at < self._settled(change) <= now:
                base = self.lookup.baseline(resource, body)
                if "unsure" in base:
                    raise LookupUnsure(str(base["unsure"]))
                day = (after - _ZONES).date()
                if base["since"]:
                    since = min(day, date.fromisoformat(base["since"]))
                    found = read_window_since(self.client, resource, since)
                elif "floor" in base:
                    found = read_down_to(self.client, resource, frozenset(), day)
                else:
                    found = read_window_since(self.client, resource, None)
                if base["ids"] and found.keys().isdisjoint(base["ids"]):
                    raise LookupUnsure("the list shows none of those that are known to be there")
                self._lists[resource] = now, found
            return found

    # -- payments -----------------------------------------------------------------------------

    def _payment(
        self, outbox: Outbox, change: Change, body: Fields, after: datetime
    ) -> tuple[Verdict, dict[str, Any]]:
        try:
            rows, listed = self.lookup.payments.found(body, change.marker)
        except BadAnswer as error:
            if 400 <= error.status < 500:
                # There is no such invoice, which the check before sending says in its words.
                return Verdict("absent", f"the invoice cannot be read: {error}"), {}
            raise
        may_be = self._candidates(rows, outbox.made_by_others(change), body, after)
        baseline = {"ids": sorted(rows.keys() - may_be.keys()), "since": "", "listed": listed}
        wanted = Counter(cents(line["amount"]) for line in body["lines"])
        invoices = body["invoiceId"]
        if not (isinstance(invoices, list) and len(invoices) > 1):
            may_be = {k: row for k, row in may_be.items() if cents(row.get("amount")) in wanted}
            if wanted - Counter(cents(row.get("amount")) for row in may_be.values()):
                # One request books all its lines.
                words = f"no payment of its amount among {len(rows)} of the invoice since"
                return Verdict("absent", words), baseline
            if len(may_be) <= _twins(outbox, change) * wanted.total():
                may_be = dict(list(may_be.items())[: wanted.total()])
        return find_payment(may_be, body, change.marker, None), baseline

    def _candidates(
        self, rows: Rows, own: frozenset[str], body: Fields, after: datetime
    ) -> dict[str, Fields]:
        """Payments that a request like ours, sent since, may have made."""
        zone = self.client.shop.zone
        notes = {str(line.get("paymentNote") or "").strip() for line in body["lines"]}
        dated = bool(body.get("paymentDate"))
        found = {}
        for key, row in rows.items():
            note = note_of(row)
            others = bool(note) and "" not in notes and note not in notes
            # A payment may be booked on the day it was made for, which is its own to say.
            early = not dated and surely_before(row.get("date"), after, zone)
            if not others and not early and not {key, str(row.get("payment_id"))} & own:
                found[key] = row
        return found

    # -- updates ------------------------------------------------------------------------------

    def _updated(
        self, group: Group, sent: Sequence[Fields], row: Fields, after: datetime
    ) -> Verdict:
        body, resource, zone = sent[0], group[0].resource, self.client.shop.zone
        once = sorted(name for name in ONCE_ONLY & body.keys() if body[name])
        seen = {}
        for name in body:
            found = [retains(resource, name, one[name], row, zone) for one in sent if name in one]
            seen[name] = True if True in found else found[0]
        if not once:
            if True in seen.values() and False not in seen.values():
                return Verdict("applied", "the record shows ours", group[0].record_id)
            return Verdict("absent", "the record does not show ours")
        if surely_before(row.get("last_updated"), after, zone):
            return Verdict("absent", "the record was not changed since")
        base = merged_base(group)
        based = base["values"].keys() | base["seen"].keys()
        still = based - moved(resource, base, row, zone).keys()
        if any(seen[name] is False for name in still & body.keys() - set(once)):
            return Verdict("absent", "the record shows its basis still")
        return _acts(group, f"{', '.join(once)} must not be sent twice, and does not show")


def _acts(group: Group, why: str) -> Verdict:
    """What no lookup can tell: for a person if this is an older copy for sure."""
    kind: Any = "unclear" if any(member.is_copied for member in group) else "absent"
    return Verdict(kind, why)


def _twins(outbox: Outbox, change: Change) -> int:
    """How many waiting changes, itself among them, would send the very same."""
    waiting = [
        filled(outbox, other.body)
        for other in outbox.creates(change, State.QUEUED)
        if other.doubted_since is not None and not missing_reference(outbox, other)
    ]
    return 1 + waiting.count(filled(outbox, change.body))


def surely_before(text: Any, moment: datetime, zone: ZoneInfo) -> bool:
    """Whether a time that a record shows is before a moment, whatever it leaves open."""
    iso = parse_moment(text, zone) if text else None
    if iso is None:
        return False
    if len(iso) == 10:
        latest = datetime.fromisoformat(iso).replace(tzinfo=UTC) + timedelta(days=1) + _ZONES
    else:
        shown = datetime.fromisoformat(iso)
        latest = shown if shown.tzinfo else shown.replace(tzinfo=UTC) + _ZONES
    return latest < moment
