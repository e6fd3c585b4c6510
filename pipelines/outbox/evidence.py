"""Is a change at the service, given what was there before it was sent? One question, asked alike
for a lost answer, a queue that was put back, and a person's retry.

Before a change is sent a *fence* is kept for good: ``since`` when (by the service's clock, seconds
since 1970), the ``known`` ids, the record as it was ``before``; and when it was sent ``first``.
A queue that was put back has only the moment of the last known push. ``until`` is when a list
shows what was sent, at the latest.

:func:`Evidence.probe` says *applied*, with its proof; *absent*; or *unknown*. Proof is our marker,
the id that the service answered, or a record that is gone. A plain record that shows all that was
sent, and was made between the fence and ``until``, is as good: it is there, whoever made it. What
acts (a payment, stock, an adjustment, a print, a file) is adopted on proof alone: staff and till do
the same every day.
"""

import functools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from pipelines.outbox.basis import given_again, was_seen
from pipelines.outbox.change import (
    NAMES,
    ONCE_ONLY,
    Change,
    Fields,
    Rows,
    Said,
    State,
    invoices_of,
)
from pipelines.outbox.match import (
    KEYS,
    MARKER_FIELDS,
    SLACK,
    TELLING,
    Match,
    cents,
    compare,
    holds,
    is_as_before,
    picture,
    seconds_of,
    shows,
)
from pipelines.outbox.order import body_of
from pipelines.outbox.records import OWN_DATES, Found, Gone, Records, Unsure
from pipelines.outbox.store import Outbox
from sources.repair_shop.errors import BadAnswer
from sources.repair_shop.settings import ShopSettings

_WITHOUT_PATH = ("payments", "ticket_comments")
_MOST_DETAILS = 10
"""Records read by their own path, at most, to see whether they hold a marker, or how they are
dated."""


@dataclass(frozen=True)
class Verdict:
    """What was found. ``found`` is for the person who reads the queue; ``id``: the record that is
    ours; ``is_final``: no later look can tell more."""

    kind: Literal["applied", "absent", "unknown"]
    found: str
    id: str | None = None
    is_final: bool = False


class Evidence:
    """Looks for the changes of one shop."""

    def __init__(self, outbox: Outbox, records: Records, shop: ShopSettings) -> None:
        self._outbox, self._records, self._zone = outbox, records, shop.zone
        self._shop = shop.name

    def probe(self, change: Change, fence: Fields) -> Verdict:
        """See the module. Raises what keeps the service from being asked."""
        body = body_of(self._outbox, change)
        try:
            if change.op == "upload":
                return _uploaded(change, fence)
            if change.op == "delete":
                return self._deleted(change, fence)
            if change.op == "update":
                return self._updated(change, body, fence)
            if change.resource == "payments":
                return self._paid(change, body, fence)
            return self._created(change, body, fence)
        except (Unsure, Gone) as unsure:
            return Verdict("unknown", str(unsure))
        except BadAnswer as error:
            return Verdict("unknown", f"it could not be looked up: {error}")

    # -- records that were made ---------------------------------------------------------------

    def _created(self, change: Change, body: Fields, fence: Fields) -> Verdict:
        resource, since, until = change.resource, fence.get("since"), change.sent_at
        made_by = functools.partial(self._outbox.made, change.shop, resource, but=change.number)
        found, made = self._records.new(resource, body, fence), made_by()
        names = {key: {key, *(str(row.get(name)) for name in NAMES)} for key, row in found.items()}
        # What another change made before the fence is older, unless its id was given again.
        older = made - made_by(since=since) if since else frozenset()
        again = {
            key
            for key, row in found.items()
            if names[key] & older and self._is_made_within(row, change, fence)
        }
        new = {key: row for key, row in found.items() if key in again or not names[key] & made}
        verdict = self._among(change, body, fence, new, again)
        if verdict.kind == "absent" and resource in self._records.partial:
            return Verdict("unknown", f"{verdict.found} in the list, which may leave it out")
        before = made_by(since=since, until=until) if since and until else frozenset()
        shown = (fence.get("known") or {}).keys() | set().union(*names.values())
        if verdict.kind == "absent" and (late := before - shown):
            told = f"{verdict.found} in the list, which does not show our {min(late)} either"
            return Verdict("unknown", told)
        return verdict

    def _among(
        self, change: Change, body: Fields, fence: Fields, new: Found, again: Collection[str]
    ) -> Verdict:
        grades = {
            key: {n: compare(change.resource, n, body[n], row, self._zone) for n in body}
            for key, row in new.items()
        }
        keys = KEYS[change.resource]
        aged = {
            key for key, row in new.items()
            if OWN_DATES.get(change.resource) not in body and self._records.is_older(row, fence)
        }  # fmt: skip
        same = {
            key for key, of in grades.items()
            if min(of.values()) >= Match.HIDDEN and all(of[name] is Match.SAME for name in keys)
        }  # fmt: skip
        like = [
            key for key, of in grades.items()
            if (key not in aged or (key in same and self._is_dated_wrong)) and (
                all(of.get(name, Match.SAME) > Match.DIFFERENT for name in keys)
                or any(of.get(name) is Match.SAME for name in TELLING)
            )
        ]  # fmt: skip
        if change.marker:
            return self._marked(change, change.marker, new, like)
        for key in like:
            if change.answered in (key, *(str(new[key].get(name)) for name in NAMES)):
                return Verdict("applied", f"record {key} is new, as answered", key)
        if not like:
            return Verdict("absent", _none_of(len(new) - len(aged), "record"))
        equal = [
            key
            for key in like
            if key in same and key not in again and self._is_made_within(new[key], change, fence)
        ]
        if change.acts or len(equal) != 1:
            told = ", ".join(like)
            return Verdict("unknown", f"new records that may be it, or another's: {told}")
        return Verdict("applied", f"record {equal[0]} is new and shows what was sent", equal[0])

    @functools.cached_property
    def _is_dated_wrong(self) -> bool:
        """Whether records are dated by another clock than answers, asked once a push. The one that
        we made last tells, of those that are there and say when; where none does, they may be."""
        made = self._outbox.changes(shop=self._shop, op="create", states=[State.DONE])
        silent = {*_WITHOUT_PATH, *OWN_DATES}
        own = [one for one in reversed(made) if one.sent_at and one.resource not in silent]
        for one in own[:_MOST_DETAILS]:
            row = self._records.one(one.resource, str(one.id)) or {}
            if row.get("created_date"):
                return self._records.is_older(row, {"since": one.sent_at})
        return True

    def _is_made_within(self, row: Fields, change: Change, fence: Fields) -> bool:
        """Whether a record was surely made while ours may have been."""
        at = seconds_of(row.get("created_date"), self._zone)
        was_whole = self._records.was_whole(change.resource, fence)
        if at is None or OWN_DATES.get(change.resource) in change.body:
            # No moment is shown, or not the service's own: that it was not there has to do.
            return was_whole
        first, last = fence.get("first", fence.get("since")), fence.get("until")
        if first is None:
            return False
        if was_whole and fence["known"] and last is not None and self._records.now() <= last:
            # A date of before the fence, or of a time to come, is of another clock. (A list may be
            # empty for once, and that shows nothing.)
            return not fence["since"] - SLACK <= at < first - SLACK
        # Without the ids of before, one made a moment before the fence may be another's.
        begin = first - SLACK if fence.get("known") else int(first)
        return bool(at >= begin and (last is None or at <= last + SLACK))

    def _marked(self, change: Change, marker: str, new: Found, like: Sequence[str]) -> Verdict:
        """Only the record that holds the marker is ours; details may show what a list does not. One
        whose notes are the beginning of ours may be, too: the service may have cut it off."""
        name, hidden = MARKER_FIELDS[change.resource], list[str]()
        marked = [key for key, row in new.items() if holds(row, marker)]
        for place, key in enumerate([] if marked else like):
            row: Fields | None = new[key]
            if not picture(change.resource, name, new[key]) and place < _MOST_DETAILS:
                row = self._records.one(change.resource, key)
            sent = body_of(self._outbox, change).get(name)
            if row is not None and holds(row, marker):
                marked.append(key)
            elif row is None or compare(change.resource, name, sent, row, self._zone):
                hidden.append(key)
        if len(marked) == 1:
            return Verdict("applied", f"record {marked[0]} holds our marker", marked[0])
        if marked or hidden:
            why = "hold our marker" if marked else "may be it, but do not show their notes whole"
            told = ", ".join(marked or hidden)
            return Verdict("unknown", f"new records that {why}: {told}")
        return Verdict("absent", f"{_none_of(len(new), 'record')}, by our marker")

    # -- payments -----------------------------------------------------------------------------

    def _paid(self, change: Change, body: Fields, fence: Fields) -> Verdict:
        invoices = self._records.invoices(invoices_of(body))
        rows, marker = self._records.payments(invoices), change.marker
        if not (marker and any(holds(row, marker) for row in rows.values())):
            # The list of payments may show what an invoice's detail leaves out.
            rows = self._records.payments(invoices, listed=True)
        if marker and (own := {k: r for k, r in rows.items() if holds(r, marker)}):
            return _whole(own, body, was_sent=change.attempts > 0)
        ours = self._outbox.made(change.shop, "payments", but=change.number)
        # A payment may be booked on the day it was made for, which is its own to say.
        known, amounts = fence.get("known"), {cents(line["amount"]) for line in body["lines"]}
        is_any_age = known is not None or bool(change.body.get("paymentDate"))
        new = {
            key: row
            for key, row in rows.items()
            if key not in (known or {})
            and not {key, str(row.get("payment_id"))} & ours
            and (
                is_any_age
                or not self._records.is_older({"created_date": row.get("date")}, fence)
                or (cents(row.get("amount")) in amounts and self._is_dated_wrong)
            )
        }
        # A note that is hidden, cut off or without its marker may be ours; another one is not.
        sent = [line.get("paymentNote") for line in body["lines"]]
        like = [
            key
            for key, row in new.items()
            if not marker
            or any(compare("payments", "paymentNote", note, row, self._zone) for note in sent)
        ]
        for key in like if change.answered and len(body["lines"]) == 1 else ():
            if change.answered in (key, str(new[key].get("payment_id"))):
                return Verdict("applied", f"payment {key} has the id that was answered", key)
        if like:
            told = f"new on the invoice, ours or the till's: payment {', '.join(like)}"
            return Verdict("unknown", told)
        return Verdict("absent", f"{_none_of(len(new), 'payment')} on the invoice")

    # -- records that were there --------------------------------------------------------------

    def _updated(self, change: Change, body: Fields, fence: Fields) -> Verdict:
        try:
            row = self._records.there(change.resource, str(change.record_id))
        except Gone:
            return Verdict("unknown", "the record was deleted meanwhile", is_final=True)
        if change.acts:
            once = ", ".join(sorted(ONCE_ONLY & body.keys()))
            return Verdict(
                "unknown",
                f"{once} acts each time it is sent, and no record shows whether it did",
                is_final=True,
            )
        resource, before = change.resource, fence.get("before")
        shown = [n for n in body if shows(resource, n, body[n], before, row, self._zone)]
        if len(shown) == len(body):
            return Verdict("applied", "the record shows it", change.record_id)
        is_moved = not all(is_as_before(resource, n, before, row) for n in shown)
        if change.said is Said.NO and is_moved:
            told = f"the record shows {', '.join(shown)} as sent since"
            others = ", ".join(name for name in body if name not in shown)
            return Verdict("unknown", f"{told}, and {others} not")
        return Verdict("absent", "the record does not show all of it")

    def _deleted(self, change: Change, fence: Fields) -> Verdict:
        record = str(change.record_id)
        is_answered = change.said is Said.DONE
        if self._records.is_gone(change.resource, record, is_answered=is_answered):
            if is_answered or fence.get("restored") or was_seen(self._outbox, change):
                return Verdict("applied", "the record is gone", record)
            told = "there is no such record, and nobody saw that there was"
            return Verdict("unknown", told, is_final=True)
        row = self._records.one(change.resource, record) or {}
        if why := given_again(change, row, self._zone):
            return Verdict("unknown", why, is_final=True)
        return Verdict("absent", "the record is still there")


def _uploaded(change: Change, fence: Fields) -> Verdict:
    if fence.get("restored") and not change.answered:
        return Verdict("unknown", "nothing lists the files of a record", is_final=True)
    place = "its place takes one file" if change.answered else "a place without a file is no file"
    return Verdict("absent", place)


def _whole(own: Rows, body: Fields, *, was_sent: bool) -> Verdict:
    """Whether payments that bear our marker are all lines of the request: as much in sum, or, of
    one that was sent from here, as many, whatever staff made of them. A key may be given twice."""
    named, lines = ", ".join(own), body["lines"]
    sent = sum(cents(line["amount"]) or 0 for line in lines)
    booked = sum(cents(row.get("amount")) or 0 for row in own.values())
    is_near = was_sent or abs(sent - booked) <= len(lines)
    if sent == booked or (is_near and len(own) == len(lines)):
        return Verdict("applied", f"payment {named} holds our marker", min(own))
    why = f"{len(own)} of {len(lines)} lines are booked: payment {named} holds our marker"
    if len(own) >= len(lines):
        why = f"payment {named} holds our marker and is {booked / 100:.2f}, not {sent / 100:.2f}"
    return Verdict("unknown", why)


def _none_of(count: int, what: str) -> str:
    return f"none of {count} new {what}s is ours" if count else f"there is no new {what}"
