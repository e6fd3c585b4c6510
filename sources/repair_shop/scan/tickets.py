"""Reading every ticket, not only those in the pipeline.

``GET /tickets`` without a status shows only tickets in the pipeline (specification, Tickets), so
all of them are read as two lists: status X, and status not X. A service that keeps hiding closed
tickets would leave a hole that nobody sees. So the newest page of ``/tickets/updated`` is held
against what was read. If it knows a ticket that we do not, everything is read from there.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from typing import Any

from ..errors import BadAnswer, NotAllowed, NotFound, ValidationRefused
from ..ledger import Ledger, Page
from .outcome import SINCE_EVER, Outcome
from .proven import read_list
from .reading import Reading, Slice, halves
from .statuses import HIDDEN_KEY, repair_labels, repair_status, status_of
from .upwards import read_window

FEWER_KEY = "fewer tickets have changed than there are"
"""Ledger key: ``/tickets/updated`` leaves some out, so it may leave out edits."""
_SINCE_EVER: dict[str, Any] = {"updatedDateFrom": SINCE_EVER}
_UPDATED = "/tickets/updated"
_DAY = timedelta(days=1)
_SOME = 500
_LOOKS = 10
"""As many tickets that neither half shows are no exceptions, but what the lists hide."""

_EDITED = "/tickets/updated shows edited ones only"
_MISSING = "there is no /tickets/updated to hold it against"
"""Its value where the last change does not show all tickets either: why."""


def parts_of_hidden(ledger: Ledger, shop: str) -> list[Slice]:
    """What asks for the tickets of a shop whose halves hide some, besides their last change: the
    bare list, and each status where the last change does not show all either."""
    by_status = ledger.value(shop, HIDDEN_KEY) not in ("yes", "")
    named = repair_labels(ledger, shop).values() if by_status else ()
    return [Slice("of :", {}), *(Slice(f"of {label}:", {"status": label}) for label in named)]


@dataclass
class Tickets:
    """Reads a shop's tickets in one scan. ``is_sorted``: the service sorts its lists."""

    reading: Reading
    is_sorted: bool = True

    def __post_init__(self) -> None:
        self.ledger, self.shop = self.reading.ledger, self.reading.shop

    def read(self, hint: int | None = None) -> Outcome:
        """Both halves, held against the tickets changed last; all in other ways if these hide.

        ``hint``: the last page.
        """
        label = repair_status(self.ledger, self.shop)
        out, differ = self.parts(halves(label), hint)
        halved = frozenset(out.ids)
        asked = self.take_changed(out, label)
        lost, there, unsure = self.look_for(label, halved, sorted(out.ids - halved))
        hides = label is None or bool(there) or not (differ or (out.ids and asked is not None))
        out.ids -= lost
        told_by_changes = hides and asked is not None
        self.ledger.set_value(self.shop, HIDDEN_KEY, "yes" if told_by_changes else "")
        if hides:
            out, lost = self.hidden(out, asked, there, lost)
        if unsure and len(there) < _LOOKS:
            told = "ticket(s) that the last changes show have no path of their own"
            out.reason = out.reason or f"{unsure} {told}, and no list shows others of their status"
        out.lost = frozenset(lost)
        return out

    def parts(
        self, slices: Iterable[Slice], hint: int | None = None, **window: date
    ) -> tuple[Outcome, bool]:
        """Read slices, each to its proof; and whether the service tells them from each other.

        ``hint`` is the likely last page of the first one. Raises :class:`PagingBroken`.
        """
        out, shown, proofs = Outcome(whole=True), 0, []
        for one in slices:
            reader = self.reading.pages(one.name, None, {**window, **one.params})
            part = read_list(reader, hint=hint) if self.is_sorted else read_window(reader)
            out.add(part)
            shown, hint = shown + len(part.ids), None
            proofs.append(f"{one.name} {part.proof}")
        out.proof = "; ".join(proofs)
        return out, 2 * shown <= 3 * len(out.ids)

    def take_changed(self, out: Outcome, label: str | None) -> Mapping[str, Any] | None:
        """Add the tickets changed last, all that have a last change if these are more than the
        halves showed; what asks for them. Without such a list the newest of each status."""
        try:
            changed, asked = _updated(self.reading, "check", 1)
        except NotFound:
            kept = self.ledger.value(self.shop, HIDDEN_KEY)
            if label is None or kept not in (None, "", _MISSING):
                raise  # it was there, and showed what these lists hide
            out.proof += f"; {_MISSING}"
            self.take_newest_of_each_status(out)
            return None
        out.take(changed)
        known = len(out.ids)
        are_more = have_changed(self.reading, known + 1, "check")
        are_fewer = not are_more and not have_changed(self.reading, known, "check")
        self.ledger.set_value(self.shop, FEWER_KEY, "yes" if are_fewer else "")
        if are_more:
            out.ids |= self.changed(asked).ids
        elif are_fewer:
            # It cannot show what the halves hide.
            self.take_newest_of_each_status(out)
        return asked if changed.size else None

    def take_newest_of_each_status(self, out: Outcome) -> None:
        """Add the first page of each status: a ticket that the halves hide may be there."""
        for name in repair_labels(self.ledger, self.shop).values():
            of_status = self.reading.pages(f"first of {name}:", None, {"status": name})
            out.take(of_status.ask("newest:1", 1, "newest"))

    def look_for(
        self, label: str | None, halved: AbstractSet[str], rows: list[str]
    ) -> tuple[set[str], set[str], int]:
        """Of tickets that no half showed: those that are gone, as a last change may tell of such
        too, and some that no half shows now either. Others just came or changed. Where many are
        shown after all, the halves were not read to their ends.

        What a half hides may be hidden by its own path too: so no path is believed of a ticket of
        whose status the halves show none. Of such is the number, last.
        """
        rows = rows if label is not None else []
        # One that was gone is unchanged since then.
        lost = {r for r in rows if self.ledger.known_row(self.shop, "tickets", r).is_deleted}
        there, listed, unsure = set[str](), 0, 0
        alike = cache(lambda: self.by_status(halved))
        for row in sorted({*rows} - lost):
            if self.is_gone(row):
                [status] = self.by_status([row])
                shown = alike().get(status)
                if shown is not None and not self.is_gone(shown):
                    lost.add(row)
                else:
                    there.add(row)
                    unsure += 1
            elif self.is_listed(str(label), row):
                listed += 1
            else:
                there.add(row)
            if _LOOKS in (len(there), listed):
                break
        return lost, there, unsure

    def by_status(self, rows: Iterable[str]) -> dict[str, str]:
        """Status -> one of these tickets, of which some are held at a time."""
        found, left = dict[str, str](), sorted(rows)
        labels = repair_labels(self.ledger, self.shop)
        for at in range(0, len(left), _SOME):
            held = self.ledger.contents(self.shop, "tickets", left[at : at + _SOME])
            found |= {status_of(one, "tickets", labels): row for row, one in held.items()}
        return found

    def changed(self, asked: Mapping[str, Any]) -> Outcome:
        """All tickets that have a last change."""
        return read_window(self.reading.pages("all:", _UPDATED, asked))

    def is_gone(self, identity: str) -> bool:
        """Whether a ticket has no path of its own."""
        try:
            return self.reading.pages().detail(identity) is None
        except BadAnswer as error:
            if error.transient:
                raise
            return False

    def is_listed(self, label: str, identity: str) -> bool:
        """Whether either half shows a ticket now: it came, or changed its status, meanwhile."""
        day = self.ledger.known_row(self.shop, "tickets", identity).day
        if day is None:
            return False
        parts = [replace(one, name=f"look:{identity}:{one.name}") for one in halves(label)]
        shown, _ = self.parts(parts, createdDateFrom=day - _DAY, createdDateTo=day + _DAY)
        return identity in shown.ids

    def hidden(
        self, out: Outcome, asked: Mapping[str, Any] | None, there: set[str], lost: set[str]
    ) -> tuple[Outcome, set[str]]:
        """All of them by their last change, ``asked`` for so if that can be; by each status too
        where it does not show all, or ``lost`` ones besides. ``there``: some that no half shows.
        And those that are gone."""
        changed, why = Outcome(proof=out.proof, whole=True), _MISSING
        if asked is not None:
            changed, why = self.changed(asked), _EDITED
            told = "the lists hide tickets, so all were read by their last change"
            changed.proof = f"{told}: {changed.proof}"
        unchanged = sorted(out.ids - changed.ids)[:_LOOKS]
        changed.ids |= out.ids
        changed.page_rows = changed.page_rows or out.page_rows
        changed.pages += out.pages
        if not lost and all(map(self.is_gone, unchanged)):
            labels = set(repair_labels(self.ledger, self.shop).values())
            with_status = self.by_status(there).keys() & labels
            if there and not with_status:
                self.reading.known.note_unlisted(there)
                self.ledger.set_value(self.shop, HIDDEN_KEY, "")
            return changed, lost
        self.ledger.set_value(self.shop, HIDDEN_KEY, why)
        bare, *by_status = parts_of_hidden(self.ledger, self.shop)
        listed, differ = self.parts(by_status)
        listed.add(self.parts([bare])[0])
        if lost:
            label = repair_status(self.ledger, self.shop)
            lost, _, _ = self.look_for(label, listed.ids, sorted(changed.ids - listed.ids))
            changed.ids -= lost
        if not changed.ids <= listed.ids or not differ:
            listed.reason = listed.reason or f"the lists hide tickets whatever is asked, and {why}"
            listed.cannot_page = True
        changed.add(listed)
        changed.proof += f"; {why}, so they were read by each status too"
        return changed, lost


def have_changed(reading: Reading, rows: int, name: str = "count") -> bool:
    """Whether so many tickets have a last change. The page on which the last of them stands tells
    it, and that one may be repeated past the end."""
    number, row = divmod(rows - 1, reading.known.page_rows)
    last = _updated(reading, name, number + 1)[0] if rows else None
    if last is None or not number or last.size <= row + 1:
        return last is None or last.size > row
    return not {*last.ids} <= {*_updated(reading, name, number)[0].ids}


def _updated(reading: Reading, name: str, number: int) -> tuple[Page, dict[str, Any]]:
    """A page of the tickets by last change, and what asks for them. Raises :class:`NotFound` where
    there is no such path: one 404 alone says little, and a service may refuse so long a time."""
    key, asked = f"updated:{number}", _SINCE_EVER
    try:
        return reading.pages(f"{name}:", _UPDATED, asked).ask(key, number, None), asked
    except NotAllowed:
        raise
    except (NotFound, ValidationRefused):
        return reading.pages(f"{name} again:", _UPDATED, {}).ask(key, number, None), {}
