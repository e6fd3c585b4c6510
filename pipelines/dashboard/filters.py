"""What is looked at: shops, period, comparison, part of the page; all of it in the page's address.

The address holds codes and ISO days, never words, so that it says the same in every language and
can be kept or sent. What it names and the warehouse has not is left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from pipelines.language import Text, current, shown
from pipelines.report.figures import Period
from sources.repair_shop.schema.dates import month_earlier, month_end

AGAINST = {"before": Text("the period before"), "year": Text("a year before")}
"""What figures are compared with."""
CUSTOM = "range"
_PERIODS = {
    "day": Text("Last open day"),
    "week": Text("Last 7 days"),
    "month": Text("This month"),
    "13-months": Text("Last 13 months"),
    "all": Text("Everything"),
    CUSTOM: Text("From day to day"),
}


@dataclass(frozen=True)
class Calendar:
    """The days there are: of the books' beginning, the last one open, and the mirror's own."""

    begun: date
    open_day: date
    until: date


def periods(calendar: Calendar) -> list[str]:
    """Codes of the periods to choose from: relative ones, months of a year, years."""
    newest = calendar.until.replace(day=1)
    months = [month_earlier(newest, back) for back in range(13)]
    years = range(calendar.until.year, calendar.begun.year - 1, -1)
    return [
        *_PERIODS,
        *(f"{month:%Y-%m}" for month in months if month >= calendar.begun.replace(day=1)),
        *map(str, years),
    ]


def period_name(code: str) -> str:
    """What a code means, in the language at work."""
    if code in _PERIODS:
        return shown(_PERIODS[code])
    return current().month(date.fromisoformat(f"{code}-01")) if "-" in code else code


def days_of(code: str, calendar: Calendar) -> tuple[date, date]:
    """First and last day of a period, the last one included and never after the mirror's end."""
    until = calendar.until
    if code == "week":
        return until - timedelta(days=6), until
    if code == "month":
        return until.replace(day=1), until
    if code == "13-months":
        return month_earlier(until.replace(day=1), 12), until
    if code == "all":
        return min(calendar.begun, until), until
    if len(code) == 7:
        first = date.fromisoformat(f"{code}-01")
        return first, max(first, min(month_end(first), until))
    if len(code) == 4 and code.isdigit():
        first = date(int(code), 1, 1)
        return first, max(first, min(date(int(code), 12, 31), until))
    return calendar.open_day, calendar.open_day


def compared_with(
    period: Period, against: str, open_day_before: date | None, begun: date
) -> Period | None:
    """The period to compare with; None where the books had not begun.

    ``before``: of a day the last one open, of whole months as many months, of others as many days.
    """
    first, last = period.first, period.last
    if against == "year":
        end = _year_earlier(last)
        is_whole = first.day == 1 and last == month_end(last)
        found = (_year_earlier(first), month_end(end) if is_whole else end)
    elif first == last:
        found = (open_day_before, open_day_before) if open_day_before else (last, first)
    elif first.day == 1:
        months = (last.year - first.year) * 12 + last.month - first.month + 1
        begin = month_earlier(first, months)
        whole = last == month_end(last)
        end = first - timedelta(days=1) if whole else begin + (last - first)
        found = (begin, min(end, first - timedelta(days=1)))
    else:
        found = (first - (last - first) - timedelta(days=1), first - timedelta(days=1))
    if found[0] < begun or found[0] > found[1] or found[0] == first:
        return None
    return Period(kind="day", first=found[0], last=found[1])


def _year_earlier(day: date) -> date:
    # The 29th of February has none.
    return day.replace(year=day.year - 1, day=min(day.day, 28) if day.month == 2 else day.day)


def read_range(values: Mapping[str, str], calendar: Calendar) -> tuple[date, date]:
    """``from`` and ``to`` of the address, put right; the last seven days where they say nothing."""
    first, last = days_of("week", calendar)
    try:
        first = date.fromisoformat(values.get("from", ""))
        last = date.fromisoformat(values.get("to", ""))
    except ValueError:
        pass
    first, last = min(first, last), max(first, last)
    return max(first, date(1970, 1, 1)), min(last, date(2200, 1, 1))


def known(wanted: Sequence[str], there: Sequence[str]) -> list[str]:
    """Those of ``wanted`` that are there, in the order of what is."""
    return [name for name in there if name in set(wanted)]
