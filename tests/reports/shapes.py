"""A table of shapes: the same figures as services might answer them."""

import calendar
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

from pipelines.service_reports.reading import Question

Figures = Mapping[date, Decimal]
TODAY = date(2026, 11, 22)
MONTHS: Figures = {
    date(2026, month, 1): Decimal(total)
    for month, total in enumerate(
        "7389.85 12.5 0 1234.56 98765.43 -45.1 3 1000 2345.6 0.99 512.25 0".split(), 1
    )
}
DAYS: Figures = {
    date(2026, 1, 1) + timedelta(n): (Decimal(n * 7919 % 500_000) / 100 if n % 6 else Decimal(0))
    for n in range(31)
}
SPANISH = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
FRENCH = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
GERMAN = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"


def spanish(day: date) -> str:
    return SPANISH.split()[day.month - 1]


MONTH_TEXTS: dict[str, Callable[[date], Any]] = {
    "number": lambda d: d.month,
    "number as text": lambda d: f"{d.month:02d}",
    "Jan": lambda d: calendar.month_abbr[d.month],
    "JANUARY": lambda d: calendar.month_name[d.month].upper(),
    "enero": spanish,
    "Ene.": lambda d: spanish(d)[:3].title() + ".",
    "janvier": lambda d: FRENCH.split()[d.month - 1],
    "März": lambda d: GERMAN.split()[d.month - 1],
    "2026-01": lambda d: f"{d:%Y-%m}",
    "01/2026": lambda d: f"{d:%m/%Y}",
    "202601": lambda d: f"{d:%Y%m}",
    "Jan 2026": lambda d: f"{calendar.month_abbr[d.month]} {d.year}",
    "Jan-26": lambda d: f"{calendar.month_abbr[d.month]}-26",
    "enero de 2026": lambda d: f"{spanish(d)} de {d.year}",
    "first day": lambda d: d.isoformat(),
    "last day": lambda d: d.replace(day=calendar.monthrange(d.year, d.month)[1]).isoformat(),
    "01/01/2026": lambda d: f"{d:%d/%m/%Y}",
    "01-Jan-2026": lambda d: f"01-{calendar.month_abbr[d.month]}-{d.year}",
    "moment": lambda d: f"{d.isoformat()}T00:00:00-0600",
    "moment UTC": lambda d: f"{d.isoformat()}T00:00:00Z",
}
DAY_TEXTS: dict[str, Callable[[date], Any]] = {
    "iso": lambda d: d.isoformat(),
    "2026/01/05": lambda d: f"{d:%Y/%m/%d}",
    "20260105": lambda d: f"{d:%Y%m%d}",
    "20260105 as number": lambda d: int(f"{d:%Y%m%d}"),
    "05/01/2026": lambda d: f"{d:%d/%m/%Y}",
    "01/05/2026": lambda d: f"{d:%m/%d/%Y}",
    "5.1.2026": lambda d: f"{d.day}.{d.month}.{d.year}",
    "05-Jan-2026": lambda d: f"{d.day:02d}-{calendar.month_abbr[d.month]}-{d.year}",
    "05-Jan-26": lambda d: f"{d.day:02d}-{calendar.month_abbr[d.month]}-26",
    "Jan 5": lambda d: f"{calendar.month_abbr[d.month]} {d.day}",
    "January 5, 2026": lambda d: f"{calendar.month_name[d.month]} {d.day}, {d.year}",
    "Mon, 05 Jan 2026": lambda d: f"{d:%a}, {d.day:02d} {calendar.month_abbr[d.month]} {d.year}",
    "5 de enero de 2026": lambda d: f"{d.day} de {spanish(d)} de {d.year}",
    "05/01": lambda d: f"{d:%d/%m}",
    "moment": lambda d: f"{d.isoformat()}T00:00:00-0600",
    "moment UTC": lambda d: f"{d.isoformat()}T00:00:00Z",
    "moment of the shop in UTC": lambda d: f"{d.isoformat()}T06:00:00Z",
    "moment without offset": lambda d: f"{d.isoformat()} 00:00:00",
    "epoch": lambda d: calendar.timegm(d.timetuple()),
    "epoch of the shop": lambda d: (calendar.timegm(d.timetuple()) + 6 * 3600) * 1000,
    "day alone": lambda d: d.day,
    "day alone as text": lambda d: f"{d.day:02d}",
}
AMOUNTS: dict[str, Callable[[Decimal], Any]] = {
    "number": lambda v: v,
    "text": lambda v: f"{v:.2f}",
    "Q1,234.50": lambda v: f"{'-' if v < 0 else ''}Q{abs(v):,.2f}",
    "1.234,50": lambda v: f"{v:,.2f}".translate(str.maketrans(",.", ".,")),
    "1 234,50 €": lambda v: f"{v:,.2f} €".translate(str.maketrans(",.", "\u202f,")),
    "CHF 1\u2019234.50": lambda v: f"CHF {v:,.2f}".replace(",", "\u2019"),
    "null for zero": lambda v: v or None,
}


def _parts(day: date, grain: str) -> dict[str, Any]:
    return {"year": day.year, "month": day.month} | ({"day": day.day} if grain == "day" else {})


def _tax(value: Decimal) -> Decimal:
    return (value * 12 / 112).quantize(Decimal("0.01"))


def _by_year(figures: Figures, grain: str, amount: Callable[[Decimal], Any]) -> Any:
    tree: dict[str, Any] = {}
    for day, value in figures.items():
        at = tree.setdefault(str(day.year), {})
        if grain == "day":
            at = at.setdefault(f"{day.month:02d}", {})
        at[str(day.day if grain == "day" else day.month)] = amount(value)
    return tree


def layouts(
    figures: Figures, grain: str, text: Callable[[date], Any], amount: Callable[[Decimal], Any]
) -> dict[str, Any]:
    """Name and payload of every way to lay the figures out."""
    name = "month" if grain == "month" else "date"
    path = "monthly_sales" if grain == "month" else "dailySales"
    local = "mes" if grain == "month" else "fecha"
    shown = [(text(day), amount(value)) for day, value in figures.items()]
    taxed = [(text(day), amount(value), _tax(value), value) for day, value in figures.items()]
    rows = [{name: period, "total": total} for period, total in shown]
    by_period = {str(period): total for period, total in shown}
    whole = amount(sum(figures.values(), Decimal(0)))
    return {
        "list": rows,
        "list, newest first": rows[::-1],
        "list, camelCase": [{name.title(): p, "totalAmount": total} for p, total in shown],
        "list with more fields": [
            {"id": n, name: period, "amount": total, "tax": tax, "count": n % 7}
            for n, (period, total, tax, _) in enumerate(taxed)
        ],
        "list with the net amount": [
            {name: period, "net": value - tax, "tax": tax, "total": total}
            for period, total, tax, value in taxed
        ],
        "list in Spanish": [{local: p, "monto": total, "iva": tax} for p, total, tax, _ in taxed],
        "period and label": [
            {"label": f"x{n}", "period": p, "value": total} for n, (p, total) in enumerate(shown)
        ],
        "object": by_period,
        "object of objects": {str(p): {"total": total, "tax": tax} for p, total, tax, _ in taxed},
        "object with notes": {**by_period, "currency": "GTQ", "total": whole},
        "pairs": [list(pair) for pair in shown],
        "pairs under a head": [[name, "total"], *(list(pair) for pair in shown)],
        "columns": {"labels": [p for p, _ in shown], "data": [total for _, total in shown]},
        "envelope data": {"data": rows, "meta": {"page": 1}},
        "envelope of its name": {path: rows, "success": True, "error": None},
        "envelope with sum": {"year": 2026, "data": rows, "total": whole},
        "envelope with number": {"items": rows, "total": len(rows)},
        "numbered": {str(n): row for n, row in enumerate(rows)},
        "sum under the list": [*rows, {name: "Total", "total": whole}],
        "nested total": [{name: p, "total": {"amount": s, "currency": "Q"}} for p, s in shown],
    }


def fixed_layouts(figures: Figures, grain: str, amount: Callable[[Decimal], Any]) -> dict[str, Any]:
    """Ways to lay figures out in which the period is in parts."""
    pairs = [(day, amount(value), value) for day, value in figures.items()]
    parts = [(_parts(day, grain), day, shown) for day, shown, _ in pairs]
    by_year = _by_year(figures, grain, amount)
    found: dict[str, Any] = {
        "parts": [
            {**_parts(day, grain), "amount": shown, "tax": _tax(value), "count": day.day}
            for day, shown, value in pairs
        ],
        "parts as text": [
            {**{name: str(part) for name, part in of_day.items()}, "total": shown}
            for of_day, _, shown in parts
        ],
        "parts with names": [
            {**of_day, "month": spanish(day), "weekday": f"{day:%A}", "total": shown}
            for of_day, day, shown in parts
        ],
        "date in parts": [{"date": of_day, "total": shown} for of_day, _, shown in parts],
        "by year": by_year,
        "years as rows": [
            {
                "year": 2026,
                "months": [
                    {"month": m, "total": s} if grain == "month" else {"month": m, "days": days}
                    for m, s, days in _months(pairs)
                ],
            }
        ],
    }
    if grain == "day":
        dated = [(day.isoformat(), day, shown) for day, shown, _ in pairs]
        return found | {
            "date and weekday": [
                {"date": d, "day": f"{day:%A}", "sales": s} for d, day, s in dated
            ],
            "date and its parts": [
                {"date": d, **_parts(day, grain), "sales": s} for d, day, s in dated
            ],
            "more days than asked": [
                *({"date": f"2025-12-{d:02d}", "total": 5} for d in range(1, 32)),
                *({"date": d, "total": s} for d, _, s in dated),
                *({"date": f"2026-02-{d:02d}", "total": 6} for d in range(1, 29)),
            ],
        }
    bare = [shown for _, shown, _ in pairs]
    numbers = [str(n) for n in range(1, 13)]
    return found | {
        "bare": bare,
        "bare in an envelope": {"year": "2026", "data": bare},
        "year under its number": {"2026": bare},
        "month number and name": [
            {"month": {"number": d.month, "name": f"{d:%B}"}, "total": s} for d, s, _ in pairs
        ],
        "from and to": [
            {"from": day.isoformat(), "to": MONTH_TEXTS["last day"](day), "amount": shown}
            for day, shown, _ in pairs
        ],
        "other years too": {
            "2025": dict.fromkeys(numbers, 77),
            **by_year,
            "2027": dict.fromkeys(numbers, 78),
        },
    }


def _months(pairs: list[tuple[date, Any, Decimal]]) -> Iterator[tuple[int, Any, list[Any]]]:
    for month in sorted({day.month for day, *_ in pairs}):
        of_it = [(day, shown) for day, shown, _ in pairs if day.month == month]
        yield month, of_it[0][1], [{"day": day.day, "total": shown} for day, shown in of_it]


def every(
    figures: Figures, grain: str, shown: str, *, one_in: int = 1
) -> Iterator[tuple[str, Any]]:
    """All shapes of the table (or one in some, others for each way of showing amounts)."""
    count = list(AMOUNTS).index(shown)
    for text_name, text in (MONTH_TEXTS if grain == "month" else DAY_TEXTS).items():
        for name, payload in layouts(figures, grain, text, AMOUNTS[shown]).items():
            count += 1
            if count % one_in == 0:
                yield f"{name}, {text_name}", payload
    yield from fixed_layouts(figures, grain, AMOUNTS[shown]).items()


def sparse(figures: Figures) -> Figures:
    """Without the periods in which nothing was sold."""
    return {day: value for day, value in figures.items() if value}


@dataclass(frozen=True)
class Case:
    """A few figures in a shape drawn by lot."""

    question: Question
    figures: Figures
    payload: Any
    where: str


def random_case(dice: Random) -> Case:
    """One to four periods of a year or month, of any size, in any shape of the table."""
    zone = ZoneInfo("America/Guatemala")
    if dice.random() < 0.5:
        grain = "month"
        question = Question("/monthlySales", "month", date(2026, 1, 1), date(2026, 11, 1), zone)
    else:
        grain, first = "day", date(2026, dice.randint(1, 11), 1)
        last = first.replace(day=calendar.monthrange(2026, first.month)[1])
        question = Question("/dailySales", "day", first, last, zone)
    few = sorted(dice.sample(question.periods, dice.randint(1, 4)))
    scale = dice.choice([1, 10, 100, 1000, 100_000])
    figures = {day: Decimal(dice.randint(-99, 9_999) * scale) / 100 for day in few}
    shapes = list(every(figures, grain, dice.choice(list(AMOUNTS))))
    where, payload = dice.choice([shape for shape in shapes if "bare" not in shape[0]])
    return Case(question, figures, payload, where)
