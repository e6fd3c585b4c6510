"""The service's own reports, in whatever shape it answers them.

Specification, "reports": ``/monthlySales?year``, ``/monthlyPurchases?year``, ``/dailySales`` and
``/dailyPurchases`` with ``dateFrom/dateTo``; the response is not shown. Understood are lists of
objects and objects keyed by period, months as number, name or ``yyyy-mm``, amounts as numbers or
text. Anything else raises :class:`~repair_shop.errors.BadAnswer`: a report that is read
wrongly would "prove" the wrong books.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from .errors import BadAnswer
from .http.client import Client
from .schema.clean import parse_amount, snake_case
from .schema.dates import MONTHS, local_day, parse_moment
from .schema.endpoints import REPORTS

_PERIODS = ("month", "date", "day", "period", "name", "label", "month_name")
_TOTALS = (
    "total",
    "amount",
    "value",
    "sales",
    "purchases",
    "sum",
    "total_amount",
    "grand_total",
    "amount_total",
    "total_sales",
    "total_purchases",
    "net_total",
)
_META = ("year", "currency", "total", "grand_total", "count", "error", "status", "success")


def fetch_year(client: Client, report: str, year: int, today: date) -> dict[date, Decimal]:
    """A monthly report: first day of month -> total. Months without an entry are zero."""
    path, parameter = REPORTS[report]
    answer = client.get(path, {parameter: year})
    found = _read(answer.payload, path, lambda text: _month(text, year, client.shop.zone))
    last = today.month if year == today.year else 12
    months = {date(year, month, 1): Decimal(0) for month in range(1, last + 1)}
    return months | {month: total for month, total in found.items() if month.year == year}


def fetch_days(client: Client, report: str, first: date, last: date) -> dict[date, Decimal]:
    """A daily report: day -> total, zero for the days without an entry."""
    path, *parameters = REPORTS[report]
    answer = client.get(path, dict(zip(parameters, (first, last), strict=True)))
    found = _read(answer.payload, path, lambda text: _day(text, first, client.shop.zone))
    days = {first + timedelta(n): Decimal(0) for n in range((last - first).days + 1)}
    return days | {day: total for day, total in found.items() if first <= day <= last}


def _read(payload: Any, path: str, period: Any) -> dict[date, Decimal]:
    totals: dict[date, Decimal] = {}
    for text, value in _entries(payload, path):
        day = period(text)
        if day is None:
            raise _bad(path, f"the period {str(text)[:40]!r}", "a month or a day")
        try:
            total = Decimal(0) if value is None or value == "" else parse_amount(value)
        except ValueError:
            raise _bad(path, f"the total {str(value)[:40]!r}", "an amount") from None
        totals[day] = totals.get(day, Decimal(0)) + total
    return totals


def _entries(payload: Any, path: str) -> Iterator[tuple[Any, Any]]:
    """(period, total) pairs out of any of the shapes."""
    if isinstance(payload, Mapping):
        wanted = {
            "data",
            "items",
            "results",
            "rows",
            "report",
            "months",
            "days",
            snake_case(path.strip("/")),
        }
        for key, inner in payload.items():
            if snake_case(str(key)) in wanted and isinstance(inner, list | Mapping):
                yield from _entries(inner, path)
                return
        if payload and all(re.fullmatch(r"\d{4}", str(key)) for key in payload):
            if len(payload) > 1:
                raise _bad(path, f"{len(payload)} years", "the one that was asked for")
            yield from _entries(next(iter(payload.values())), path)
            return
        for key, value in payload.items():
            if snake_case(str(key)) in _META and not isinstance(value, Mapping):
                continue
            if isinstance(value, Mapping):
                yield key, _total(value, path)
            elif isinstance(value, list):
                raise _bad(path, f"a list under {str(key)[:40]!r}", "a total")
            else:
                yield key, value
        return
    if not isinstance(payload, list):
        raise _bad(path, type(payload).__name__, "a list or an object")
    for position, entry in enumerate(payload, 1):
        if isinstance(entry, Mapping):
            names = {snake_case(str(key)): value for key, value in entry.items()}
            found = next((names[name] for name in _PERIODS if name in names), None)
            if found is not None:
                yield found, _total(entry, path)
            elif len(entry) == 1:
                yield from entry.items()
            else:
                raise _bad(path, f"an entry with {', '.join(sorted(names))[:80]}", "month or date")
        elif len(payload) == 12 and not isinstance(entry, list):
            yield position, entry  # twelve bare totals, January first
        elif isinstance(entry, list) and len(entry) == 2:
            yield entry[0], entry[1]
        else:
            raise _bad(path, f"an entry of type {type(entry).__name__}", "an object")


def _total(entry: Mapping[str, Any], path: str) -> Any:
    names = {snake_case(str(key)): value for key, value in entry.items()}
    for name in _TOTALS:
        if name in names:
            return names[name]
    raise _bad(path, f"an entry with {', '.join(sorted(names))[:80]}", "a field 'total'")


def _month(value: Any, year: int, zone: ZoneInfo) -> date | None:
    text = str(value).strip()
    if re.fullmatch(r"0?[1-9]|1[0-2]", text):
        return date(year, int(text), 1)
    match = re.fullmatch(r"(\d{4})[-/.](\d{1,2})", text) or re.fullmatch(
        r"(?P<m>\d{1,2})[-/.](?P<y>\d{4})", text
    )
    if match:
        groups = match.groupdict()
        y, m = (groups["y"], groups["m"]) if groups else match.groups()
        return date(int(y), int(m), 1) if 1 <= int(m) <= 12 else None
    match = re.fullmatch(r"([A-Za-z]{3})[A-Za-z]*\.?[ ,/-]*(\d{4}|\d{2})?", text)
    if match and match[1].title() in MONTHS:
        named = int(match[2]) if match[2] else year
        return date(named if named > 99 else 2000 + named, MONTHS.index(match[1].title()) + 1, 1)
    day = _day(value, date(year, 1, 1), zone)
    return day.replace(day=1) if day else None


def _day(value: Any, first: date, zone: ZoneInfo) -> date | None:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = str(value).strip()
    if re.fullmatch(r"\d{1,2}", text):
        try:
            return first.replace(day=int(text))
        except ValueError:
            return None
    moment = parse_moment(value, zone)
    return None if moment is None else local_day(moment.iso_text, zone)


def _bad(path: str, seen: str, expected: str) -> BadAnswer:
    return BadAnswer(
        f"the service answered {seen} where {expected} was expected",
        method="GET",
        path=path,
        status=200,
    )
