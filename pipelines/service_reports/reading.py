"""Entries of a report -> the total of each day or month; read with certainty, or refused.

Every sensible way of reading the whole answer is tried: which fields are the period, in which
layout, which field is the total, what its decimal sign is. Ways that contradict themselves (a field
says another month, two entries for one day, a sum beside the entries that is not theirs) or what
was asked (days outside the range) fall out. If those left differ, the month's own total may decide;
if nothing does, the answer is refused, because a report read wrongly would "prove" wrong books.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from pipelines.service_reports import amounts
from pipelines.service_reports.entries import Check, Entries, Entry, Unreadable
from pipelines.service_reports.periods import Grain, Part, layouts
from pipelines.service_reports.words import (
    NET_NAMES,
    REDUCTIONS,
    SUM_WORDS,
    TOTAL_NAMES,
    WEEKDAYS,
    Role,
    plain,
    role_of,
)

CENT = Decimal("0.01")
_MOST_WAYS = 200
_MEND = "set report_total to the name of the field that holds it"
Totals = dict[date, Decimal]


@dataclass(frozen=True)
class Question:
    """What was asked. ``first`` and ``last`` are days; of a monthly report, first days of months
    (the last one that can have figures)."""

    path: str
    grain: Grain
    first: date
    last: date
    zone: ZoneInfo
    total_field: str = ""
    """The field that holds the total, where the settings name it."""
    month_total: Decimal | None = None
    """What the monthly report says of these days, if they are a whole month."""

    @property
    def periods(self) -> list[date]:
        """All days, or months, that were asked for."""
        if self.grain == "month":
            return [date(self.first.year, month, 1) for month in range(1, self.last.month + 1)]
        return [self.first + timedelta(n) for n in range((self.last - self.first).days + 1)]


_Ways = dict[tuple[tuple[date, Decimal], ...], str]
"""What comes out -> in words, one of the ways of reading that come to it."""


def read(payload: Any, question: Question) -> Totals:
    """The total of every period asked for, zero for those without an entry.

    :class:`Unreadable` when the answer can be read in no way, or in more than one.
    """
    entries = Entries(question.path, question.grain)
    entries.take(payload, (), {})
    _take_sums_out(entries)
    zeros = dict.fromkeys(question.periods, Decimal(0))
    if not entries.listed:
        return zeros
    reasons: list[str] = []
    found: _Ways = {}
    totals = list(_totals(entries, question))
    for words, days in _periods(entries.listed, question, reasons):
        for name, values in totals:
            if entries.placed and any(
                v for d, v in zip(days, values, strict=True) if d > question.last
            ):
                reasons.append("bare totals by place, with figures in months to come")
                continue
            if failed := _failed_check(entries.checks, values):
                reasons.append(failed)
                continue
            sums = zeros | {
                d: v for d, v in zip(days, values, strict=True) if _is_asked(d, question)
            }
            found.setdefault(tuple(sorted(sums.items())), f"{words}, total {name or 'as it is'}")
    return _decide(found, question, reasons)


def _decide(ways: _Ways, question: Question, reasons: list[str]) -> Totals:
    if len(ways) > 1 and question.month_total is not None:
        month = question.month_total
        told = {sums: w for sums, w in ways.items() if abs(sum(v for _, v in sums) - month) < CENT}
        ways = told if len(told) == 1 else ways
    if len(ways) > 1:
        first, second, *_ = ways.values()
        raise Unreadable(
            f"figures that can be read in more than one way ({first}; or {second}); "
            f"if it is the total that is not clear, {_MEND}"
        )
    if not ways:
        raise Unreadable(reasons[0] if reasons else "entries that say no period")
    return dict(next(iter(ways)))


def _is_asked(day: date, question: Question) -> bool:
    if question.grain == "month":
        return day.year == question.first.year
    return question.first <= day <= question.last


def _take_sums_out(entries: Entries) -> None:
    """A line called "Total" is a check on the others, not a period."""
    lines = [place for place, entry in enumerate(entries.listed) if _is_sum(entry)]
    if not lines and len(entries.listed) > 1 and _says_no_period(entries.listed[-1]):
        lines = [len(entries.listed) - 1]
    for place in reversed(lines):
        entry = entries.listed.pop(place)
        for check in entries.checks:
            check.first -= check.first > place
            check.last -= check.last > place
        named = {n: v for n, v in entry.fields.items() if role_of(n) == "total"}
        for name, value in named.items():
            entries.checks.append(Check(name, value, 0, -1))
    for check in entries.checks:
        check.last = len(entries.listed) if check.last < 0 else check.last


def _is_sum(entry: Entry) -> bool:
    texts = (*entry.keys, *_labels(entry))
    return any(plain(t) in SUM_WORDS for t in texts if isinstance(t, str) and t)


def _says_no_period(entry: Entry) -> bool:
    return not entry.keys and all(_is_empty(value) for value in _labels(entry))


def _labels(entry: Entry) -> list[Any]:
    return [v for n, v in entry.fields.items() if role_of(n) not in ("total", "tax", "other")]


def _failed_check(checks: Sequence[Check], values: Sequence[Decimal]) -> str:
    for check in checks:
        part = values[check.first : check.last]
        try:
            said = amounts.columns([check.value])
        except ValueError:
            continue
        if not any(abs(one[0] - sum(part)) <= CENT or one[0] == len(part) for one in said):
            return (
                f"{check.name or 'a total'} {check.value} beside {len(part)} entries whose sum is "
                f"{sum(part):.2f}"
            )
    return ""


# Periods -----------------------------------------------------------------------------------------


def _periods(
    listed: Sequence[Entry], question: Question, reasons: list[str]
) -> Iterator[tuple[str, list[date]]]:
    """Every way of giving each entry its day or month."""
    strong, weak, vague = _columns_of(listed, question)
    options: list[list[tuple[str, list[Part]] | None]] = [[*ways] for ways in strong.values()]
    options += [[*ways, None] for ways in weak.values()]
    names = [*strong, *weak]
    for count, choice in enumerate(itertools.product(*options)):
        if count >= _MOST_WAYS:
            raise Unreadable(f"fields that may be periods in too many ways ({', '.join(names)})")
        used = [(name, way) for name, way in zip(names, choice, strict=True) if way is not None]
        days = _days([way[1] for _, way in used], len(listed), question, vague, reasons)
        if days is not None:
            yield ", ".join(f"{name} as {way[0]}" for name, way in used), days


_Layouts = list[tuple[str, list[Part]]]


def _columns_of(
    listed: Sequence[Entry], question: Question
) -> tuple[dict[str, _Layouts], dict[str, _Layouts], str]:
    """Plain period fields; fields and keys that may be periods; a plain one that is unreadable."""
    strong: dict[str, _Layouts] = {}
    weak: dict[str, _Layouts] = {}
    vague = ""
    for name in dict.fromkeys(name for entry in listed for name in entry.fields):
        role = role_of(name)
        values = [entry.fields.get(name) for entry in listed]
        said = [value for value in values if not _is_empty(value)]
        if role in ("total", "tax", "other") or not said:
            continue
        if role == "unknown" and not all(isinstance(value, str) for value in said):
            continue
        ways = _ways(values, role, question)
        if role in ("weak", "unknown"):
            weak[name] = ways
        elif ways:
            strong[name] = ways
        elif not all(plain(value) in WEEKDAYS for value in said):
            vague = f"{name} {str(said[0])[:20]!r}"
    for level in range(max(len(entry.keys) for entry in listed)):
        keys = [entry.keys[level] if level < len(entry.keys) else None for entry in listed]
        weak[f"key {level + 1}"] = _ways(keys, "weak", question)
    return strong, weak, vague


def _is_empty(value: Any) -> bool:
    return value is None or value == ""


def _ways(values: Sequence[Any], role: Role, question: Question) -> _Layouts:
    """Every layout in which all values of a column can be read."""
    read = [
        {"": Part()} if _is_empty(v) else layouts(v, role, question.grain, question.zone)
        for v in values
    ]
    names = [set(one) for one, value in zip(read, values, strict=True) if not _is_empty(value)]
    common = sorted(set.intersection(*names)) if names else []
    return [(name, [one[name] if name in one else one[""] for one in read]) for name in common]


def _days(
    columns: Sequence[list[Part]],
    count: int,
    question: Question,
    vague: str,
    reasons: list[str],
) -> list[date] | None:
    """Each entry's period by all columns together; None, with the reason, when that fails."""
    days: list[date] = []
    for place in range(count):
        part: Part | None = Part()
        for column in columns:
            part = part and part.merged(column[place])
        if part is None:
            reasons.append("fields that name different periods for one entry")
            return None
        day = _complete(part, question, vague)
        if isinstance(day, str):
            reasons.append(day)
            return None
        days.append(day)
    wrong = _wrong(days, question)
    if wrong:
        reasons.append(wrong)
    return None if wrong else days


def _complete(part: Part, question: Question, vague: str) -> date | str:
    """The period of a part, with what it does not say from what was asked; else the reason."""
    year, month, day = part
    known = month is not None and (question.grain == "month" or day is not None)
    if vague and not (known and year is not None):
        return f"{vague}, which is no period we know"
    if question.grain == "month":
        return date(year or question.first.year, month, 1) if month else "entries without a month"
    if day is None:
        return "entries without a day"
    if year is not None and month is not None:
        try:
            return date(year, month, day)
        except ValueError:
            return f"a day {day} of month {month}"
    fitting = [
        asked
        for asked in question.periods
        if asked.day == day and month in (None, asked.month) and year in (None, asked.year)
    ]
    if len(fitting) != 1:
        return f"a day {day} that is {'no' if not fitting else 'more than one'} day of those asked"
    return fitting[0]


def _wrong(days: Sequence[date], question: Question) -> str:
    """Why these periods are no answer to what was asked; empty when they are one."""
    if len(set(days)) < len(days):
        twice = next(day for day in days if days.count(day) > 1)
        shown = twice.isoformat()[: 7 if question.grain == "month" else 10]
        return f"more than one entry for {shown}, and nothing says whether they add up"
    first, last = min(days), max(days)
    if all(_is_asked(day, question) for day in days):
        return ""
    if first <= question.first and last >= question.last:
        return ""  # more than was asked, and all that was asked
    return f"figures of {first} to {last} where {question.first} to {question.last} was asked"


# Totals ------------------------------------------------------------------------------------------


def _totals(entries: Entries, question: Question) -> Iterator[tuple[str, list[Decimal]]]:
    """Every field that may be the total, with its amounts; :class:`Unreadable` if there is none."""
    for name in _total_fields(entries.listed, question):
        column = [entry.fields.get(name) for entry in entries.listed]
        if any(name not in entry.fields for entry in entries.listed):
            raise Unreadable(f"entries without {name or 'a total'!r}, which others have")
        try:
            readings = amounts.columns(column)
        except ValueError as error:
            raise Unreadable(str(error)) from None
        for place, reading in enumerate(readings):
            signs = "" if len(readings) == 1 else f" with {'.,'[place]!r} for decimals"
            yield f"{name or 'as it is'}{signs}", reading


def _total_fields(listed: Sequence[Entry], question: Question) -> list[str]:
    names = list(dict.fromkeys(name for entry in listed for name in entry.fields))
    if (wanted := plain(question.total_field)) in names and question.total_field:
        return [wanted]
    other = "purchases" if question.path.lower().endswith("sales") else "sales"
    known = [name for name in ("", *TOTAL_NAMES) if name in names and other not in name.split("_")]
    if not known:
        return [_odd_total(listed, names)]
    first, *rest = known
    rivals = [name for name in rest if not _explained(first, name, listed, names)]
    return [first, *rivals]


def _odd_total(listed: Sequence[Entry], names: Sequence[str]) -> str:
    """The only field with amounts: taken if it holds cents, so that it is no count."""
    seen = ", ".join(sorted(names))[:80]
    odd = []
    for name in names:
        values = [entry.fields.get(name) for entry in listed]
        if role_of(name) == "unknown" and (found := _column(values)) is not None:
            odd.append((name, any(value % 1 for value in found)))
    if len(odd) == 1 and odd[0][1] and not any(role_of(name) in ("tax", "other") for name in names):
        return odd[0][0]
    raise Unreadable(f"entries with {seen}, of which none is called a total; {_MEND}")


def _column(values: Sequence[Any]) -> list[Decimal] | None:
    """A column of amounts; None when it is none."""
    try:
        return amounts.columns(values)[0]
    except ValueError:
        return None


def _explained(first: str, other: str, listed: Sequence[Entry], names: Sequence[str]) -> bool:
    """Whether ``other`` is no rival of ``first``: the same, or the same without the tax."""
    mine, theirs = (_column([e.fields.get(name) for e in listed]) for name in (first, other))
    if mine is None or theirs is None:
        return theirs is None
    if mine == theirs:
        return True
    if other in NET_NAMES and first not in NET_NAMES:
        # Without the tax; but net of returns or discounts it may be what counts.
        reduced = [n for n in names if not REDUCTIONS.isdisjoint(n.split("_"))]
        off = [_column([e.fields.get(n) for e in listed]) for n in reduced]
        return not any(_adds_up(theirs, c, mine) or _adds_up(mine, c, theirs) for c in off)
    taxes = [_column([e.fields.get(n) for e in listed]) for n in names if role_of(n) == "tax"]
    return any(_adds_up(theirs, tax, mine) for tax in taxes)


def _adds_up(
    net: Sequence[Decimal], more: Sequence[Decimal] | None, gross: Sequence[Decimal]
) -> bool:
    return more is not None and all(
        abs(part + rest - whole) <= CENT for part, rest, whole in zip(net, more, gross, strict=True)
    )
