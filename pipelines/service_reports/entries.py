"""A report's JSON, in whatever shape -> entries: the fields of each figure and the keys above it.

Nothing is decided here about what the fields mean; only lists, objects keyed by period, tables by
columns, envelopes and nesting are taken apart. What cannot be is refused by :class:`Unreadable`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from pipelines.service_reports.periods import Grain, layouts
from pipelines.service_reports.words import NO_ENTRIES, PAGES, plain, role_of

_UTC = ZoneInfo("UTC")
_PLACE = {"month": 12}
"""Bare totals without periods that are understood: twelve, January first."""


class Unreadable(Exception):
    """The answer cannot be read with certainty; the message says what was seen, and the mend."""


@dataclass
class Entry:
    """One figure. ``fields`` by plain name; the figure itself may be under the name ``""``."""

    keys: tuple[str, ...]
    fields: dict[str, Any]


@dataclass
class Check:
    """A scalar beside entries that may be their sum, or their number: ``[first, last)`` of them."""

    name: str
    value: Any
    first: int
    last: int


@dataclass
class Entries:
    """All entries of an answer."""

    path: str
    grain: Grain
    listed: list[Entry] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    in_list: bool = False
    """Whether a list was met: what stands in none is no entry beside others."""
    placed: bool = False
    """The totals came bare, twelve in a row, and were taken for January to December."""

    def take(self, node: Any, keys: tuple[str, ...], known: Mapping[str, Any]) -> None:
        """Take a part of the answer apart; ``known`` are periods said further up."""
        if isinstance(node, list):
            self._list(node, keys, known)
        elif not isinstance(node, Mapping):
            raise Unreadable(f"{_kind(node)} where a list or an object was expected")
        elif not node:
            return
        elif rows := _by_columns(node):
            self._list(rows, keys, known)
        elif period_keys := _period_keys(node):
            self._keyed(node, period_keys, keys, known)
        else:
            self._record(node, keys, known)

    def _list(self, node: list[Any], keys: tuple[str, ...], known: Mapping[str, Any]) -> None:
        if node and all(isinstance(row, list) for row in node):
            node = _rows(node)
        elif node and not any(isinstance(row, list | Mapping) for row in node):
            if len(node) != _PLACE.get(self.grain):
                raise Unreadable(f"a list of {len(node)} bare values, which name no {self.grain}")
            self.placed = True
            node = [{"month": place, "": value} for place, value in enumerate(node, 1)]
        self.in_list = True
        for row in node:
            if not isinstance(row, Mapping):
                raise Unreadable(f"{_kind(row)} among the entries of a list")
            self.take(row, keys, known)

    def _keyed(
        self,
        node: Mapping[str, Any],
        period_keys: list[str],
        keys: tuple[str, ...],
        known: Mapping[str, Any],
    ) -> None:
        first = len(self.listed)
        beside = {plain(name): value for name, value in node.items() if name not in period_keys}
        known = {**known, **_periods(beside)}
        for key in period_keys:
            value = node[key]
            if isinstance(value, Mapping | list):
                self.take(value, (*keys, key), known)
            else:
                self.listed.append(Entry((*keys, key), {**known, "": value}))
        self._note_checks(beside, first)

    def _record(
        self, node: Mapping[str, Any], keys: tuple[str, ...], known: Mapping[str, Any]
    ) -> None:
        fields: dict[str, Any] = {}
        inner: dict[str, Any] = {}
        for key, value in node.items():
            name = plain(key)
            if not isinstance(value, Mapping | list):
                fields[name] = value
            elif isinstance(value, Mapping) and _is_leaf(value):
                _put_flat(fields, name, value)
                inner[name] = value
            else:
                inner[name] = value
        if not inner or (self._is_entry(fields) and not self._is_heading(inner)):
            if not (keys or _has_period(fields)):
                seen = ", ".join(sorted(fields)) or "no field"
                raise Unreadable(f"an object with {seen[:80]}, and no month or day")
            self.listed.append(Entry(keys, {**known, **fields}))
            return
        scalars = {plain(k): v for k, v in node.items() if not isinstance(v, Mapping | list)}
        _refuse_pages(scalars)
        first = len(self.listed)
        chosen = _chosen(inner, self.path)
        if chosen is not None:
            self.take(chosen, keys, {**known, **_periods(scalars)})
        self._note_checks(scalars, first)

    def _is_entry(self, fields: Mapping[str, Any]) -> bool:
        """Whether an object with lists inside is a figure itself: it says its period and total."""
        roles = {role_of(name) for name in fields}
        wanted = {"date", "day"} if self.grain == "day" else {"date", "month"}
        return "total" in roles and bool(roles & wanted)

    def _is_heading(self, inner: Mapping[str, Any]) -> bool:
        """Whether the date and sum of an object are those of a printed report: it holds days."""
        return not self.in_list and any(
            _period_keys(value)
            if isinstance(value, Mapping)
            else any(isinstance(row, Mapping) and _has_period(row) for row in value)
            for value in inner.values()
        )

    def _note_checks(self, scalars: Mapping[str, Any], first: int) -> None:
        for name, value in scalars.items():
            if role_of(name) == "total" and value is not None:
                self.checks.append(Check(name, value, first, len(self.listed)))


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
    return "nothing" if value is None else kinds.get(type(value), "a number")


def _has_period(fields: Mapping[str, Any]) -> bool:
    return any(
        role_of(name) in ("date", "year", "month", "day", "weak")
        or (isinstance(value, str) and layouts(value, "weak", "day", _UTC))
        for name, value in fields.items()
    )


def _periods(scalars: Mapping[str, Any]) -> dict[str, Any]:
    """Year and month said beside a list hold for all of it."""
    return {
        name: value
        for name, value in scalars.items()
        if role_of(name) in ("year", "month") and value not in (None, "")
    }


def _period_keys(node: Mapping[str, Any]) -> list[str]:
    """The keys that are periods, if the object is keyed by period: all others are plain notes."""
    found = [key for key in node if key.isdigit() or layouts(key, "weak", "day", _UTC)]
    others = [key for key in node if key not in found]
    notes = ("total", "tax", "other", "year")
    for key in others:
        if isinstance(node[key], Mapping | list) or role_of(plain(key)) not in notes:
            return []
    return found


def _by_columns(node: Mapping[str, Any]) -> list[dict[str, Any]]:
    """``{"labels": ["Jan", …], "data": [1, …]}`` as rows; empty when it is no such table."""
    lists = {name: value for name, value in node.items() if isinstance(value, list)}
    sizes = {len(value) for value in lists.values()}
    plain_values = all(
        not isinstance(item, list | Mapping) for value in lists.values() for item in value
    )
    if len(lists) < 2 or len(sizes) != 1 or not plain_values:
        return []
    notes = {k: v for k, v in node.items() if not isinstance(v, list | Mapping)}
    _refuse_pages({plain(name): value for name, value in notes.items()})
    known = _periods({plain(name): value for name, value in notes.items()})
    named = {"" if plain(name) in ("data", "values") else name: v for name, v in lists.items()}
    return [{**known, **{n: v[place] for n, v in named.items()}} for place in range(sizes.pop())]


def _rows(node: list[list[Any]]) -> list[Any]:
    """Rows of values: under a head of names, or pairs of period and total."""
    head = node[0]
    if all(isinstance(name, str) for name in head) and any(
        role_of(plain(name)) not in ("unknown", "weak") for name in head
    ):
        if any(len(row) != len(head) for row in node):
            raise Unreadable("rows of different length under one head")
        return [dict(zip(head, row, strict=True)) for row in node[1:]]
    if any(len(row) != 2 for row in node):
        raise Unreadable(f"rows of {len(head)} values without a head")
    return [{"period": row[0], "amount": row[1]} for row in node]


def _is_leaf(value: Mapping[str, Any]) -> bool:
    """A nested object of scalars that is part of its entry, such as ``{"amount": 5}``."""
    return (
        bool(value)
        and not any(isinstance(inner, Mapping | list) for inner in value.values())
        and not _period_keys(value)
    )


def _put_flat(fields: dict[str, Any], name: str, value: Mapping[str, Any]) -> None:
    for key, inner in value.items():
        child = plain(key)
        both = f"{name}_{child}"
        known = child if role_of(child) not in ("unknown", "weak", "other") else name
        target = both if role_of(both) == "total" or known in fields else known
        fields.setdefault(target if role_of(child) != "other" else both, inner)


def _refuse_pages(scalars: Mapping[str, Any]) -> None:
    for name, value in scalars.items():
        least = PAGES.get(name)
        number = isinstance(value, int) and not isinstance(value, bool)
        if least is not None and value and (not number or value > least):
            raise Unreadable(f"one of several pages ({name}: {str(value)[:20]})")


def _chosen(inner: Mapping[str, Any], path: str) -> Any:
    """The one list or object that holds the entries; None when all are empty."""
    full = {name: value for name, value in inner.items() if value and name not in NO_ENTRIES}
    if not full:
        if not any(name not in NO_ENTRIES for name in inner):
            raise Unreadable(f"only {', '.join(sorted(inner))[:80]}")
        return None
    own = plain(path.strip("/"))
    if own in full:
        return full[own]
    if len(full) > 1:
        raise Unreadable(f"several lists ({', '.join(sorted(full))[:80]}), of which one is meant")
    return next(iter(full.values()))
