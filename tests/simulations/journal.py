"""What changed at the service, when, and how long the mirror may take to find out.

``ALLOWED`` is the one table of staleness: each entry is a limit that the documentation names
(DECISIONS.md, "Reading without missing a row"), with a bound after which it is a fault.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import date, timedelta

from sandbox.resources import RESOURCES
from tests.simulations.truth import Key, Records

ALLOWED: dict[str, str] = {
    "during": "changed while the run read: the next complete run shows it",
    "quiet edit": "no list announces it: found when the audit reads its month again "
    "(weekly this year, monthly last year, quarterly before; undated lists monthly)",
    "deletion": "no list announces it: found as a quiet edit is, sooner where a report differs",
    "old date": "made with a date of the past, where no scan of what is new looks: likewise",
}
"""Why a row may be old, by kind of change; the bound in days is :func:`bound`."""
_ANNOUNCED = frozenset({"tickets", "products", "appointments", "ticket_comments"})
"""Lists that name what was edited (/updated, sort=recently_updated)."""
_UNDATED = frozenset(
    (
        "tax_rates ticket_comments ticket_timers preset_categories stock_count custom_fields "
        "shipments shipments_deleted"
    ).split()
)
SLACK = 4
"""Nights an audit may be late: it reads the most overdue first, within its requests."""


@dataclass
class Event:
    """A change of one record: ``kind`` as in ``ALLOWED``, or "told" for what must show at once."""

    night: int
    kind: str
    bound: int


@dataclass
class Journal:
    """Changes by record, as seen by comparing the service before and after."""

    events: dict[Key, Event] = field(default_factory=dict)
    changes: int = 0
    used: Counter[str] = field(default_factory=Counter)
    longest: dict[str, int] = field(default_factory=dict)

    def note(
        self, before: Records, after: Records, night: int, today: date, *, during: bool
    ) -> None:
        """Take down what changed between two looks at the service."""
        for key in before.keys() | after.keys():
            old, new = before.get(key), after.get(key)
            if old == new:
                continue
            self.changes += 1
            kind = _kind(key, old, new, today)
            days = bound(key, old, new, today) + SLACK
            known = self.events.get(key)
            if kind == "told":
                # An announced change brings the whole row, whatever was quietly changed before.
                self.events[key] = Event(night, "during" if during else "told", days)
            elif known is None or known.kind == "told":
                self.events[key] = Event(night, kind, days)
            else:
                self.events[key] = Event(night, kind, max(days, known.bound))

    def excuse(self, key: Key, night: int, complete: list[int]) -> str | None:
        """The kind of allowance by which a record may be old in this night; None: a fault.

        ``complete`` are the nights so far that ended complete, this one included.
        """
        event = self.events.get(key)
        if event is None:
            return None
        age = night - event.night
        since = sum(other > event.night for other in complete)
        if event.kind == "told":
            return None if since or event.night in complete else "during"
        if event.kind == "during" and since >= 1:
            return None
        if age > event.bound:
            return None
        self.used[event.kind] += 1
        self.longest[event.kind] = max(self.longest.get(event.kind, 0), age)
        return event.kind


def _kind(
    key: Key, old: dict[str, object] | None, new: dict[str, object] | None, today: date
) -> str:
    table = key[0]
    if new is None:
        return "deletion"
    if table == "custom_fields" and (new.get("category_id") or new.get("tab_id")):
        return "old date"  # read once a week, whatever its date
    if old is None:
        return "told" if _day(table, new) >= today else "old date"
    if table in _ANNOUNCED and new.get("_updated") != old.get("_updated"):
        return "told"
    return "quiet edit"


def _day(table: str, record: dict[str, object]) -> date:
    text = str(record.get(RESOURCES[table].date) or "")[:10]
    try:
        return date.fromisoformat(text)
    except ValueError:
        return date.min


def bound(
    key: Key, old: dict[str, object] | None, new: dict[str, object] | None, today: date
) -> int:
    """Days until an audit has read the record's days again (DECISIONS.md)."""
    if key[0] in _UNDATED:
        return 30
    days = [_day(key[0], record) for record in (old, new) if record is not None]
    age = today - min(days)
    return 7 if age < timedelta(days=366) else 30 if age < timedelta(days=2 * 366) else 90
