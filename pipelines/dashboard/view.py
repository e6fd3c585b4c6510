"""What is looked at, and the figures above all parts of the page."""

import time
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from functools import cached_property
from pathlib import Path

from pipelines.dashboard.asked import cached
from pipelines.home import LEDGER
from pipelines.language import Text, current, shown
from pipelines.publish.published import Published
from pipelines.report import closing, figures
from pipelines.report.closing import View
from pipelines.report.figures import Calendar, Words
from pipelines.report.periods import Period, months_before
from pipelines.report.trust import Trust, trust

AGAINST = {"before": Text("the period before"), "year": Text("a year before")}
"""What figures are compared with; of a day, ``year`` is four weeks before."""
RANGE = "range"
_PERIODS = {
    "day": Text("Last open day"),
    "today": Text("Today"),
    "week": Text("This week"),
    "month": Text("This month"),
    "quarter": Text("This quarter"),
    "year": Text("This year"),
    "13-months": Text("Last 13 months"),
    "all": Text("Everything"),
    RANGE: Text("From day to day"),
}
_TRUSTED_SECONDS = 20
"""How long an answer on trust counts: a mirror gets old without anybody publishing."""


@dataclass(frozen=True)
class Selection:
    """What is looked at, and by whom."""

    home: Path
    names: tuple[str, ...]
    period: Period
    days: Calendar
    unit: str
    zone: tzinfo
    against: str
    """One of :data:`AGAINST`."""
    sees_margins: bool

    @property
    def dates(self) -> dict[str, date]:
        """The days of the period, as questions name them."""
        return {"first": self.period.first, "last": self.period.last}

    @cached_property
    def view(self) -> View:
        """The figures; ``before`` is what they are compared with."""
        first, last = self.period.first, self.period.last
        months = (last.year - first.year) * 12 + last.month - first.month
        found = _view(self.home, list(self.names), self.period, self.days, max(13, months + 1))
        # The period before a year is the year before.
        is_earlier = self.against == "year" and self.period.kind != "year"
        return found.model_copy(update={"before": found.earlier}) if is_earlier else found

    @cached_property
    def notes(self) -> tuple[Words, ...]:
        """What a reader must know before trusting the figures, as a report says it."""
        names, known = list(self.names), shops(self.home)
        zones = {closing.zone_of(known[name]["timezone"]) for name in names}
        today = min(datetime.now(zone).date() for zone in zones)
        return _notes(self.home, names, self.view.now, self.period, self.days, today)

    @cached_property
    def trust(self) -> Trust:
        """Whether these figures can be relied on now."""
        try:
            ledger = (self.home / LEDGER).stat().st_mtime_ns
        except OSError:
            ledger = 0
        return _trust(self.home, self.names, (ledger, int(time.time() // _TRUSTED_SECONDS)))


shops = cached(figures.shops)
_calendar = cached(figures.calendar)
methods = cached(figures.methods)
_view = cached(closing.view)
_notes = cached(closing.notes)


def periods(days: Calendar, chosen: str) -> list[str]:
    """Codes of the periods to choose from: relative ones, months, years, and the one chosen.

    The page's address holds such a code, so that it says the same in every language.
    """
    newest, oldest = days.until.replace(day=1), days.begun.replace(day=1)
    count = (newest.year - oldest.year) * 12 + newest.month - oldest.month + 1
    months = [f"{months_before(newest, back):%Y-%m}" for back in range(count)]
    years = [str(year) for year in range(days.until.year, days.begun.year - 1, -1)]
    known = [*_PERIODS, *months, *years]
    return known if chosen in known else [*known, chosen]


def period_name(code: str) -> str:
    """What a code means, in the language at work."""
    if code in _PERIODS:
        return shown(_PERIODS[code])
    found = Period.read(code)
    return code if found is None else found.shown


def period_of(code: str, days: Calendar) -> Period:
    """The days a code means, none after the mirror's last one; the last open day for odd codes."""
    until = days.until
    if code in ("day", "today"):
        return Period.of("day", days.open_day if code == "day" else until)
    if code in ("week", "month", "quarter", "year"):
        return Period.of(code, until).until(until)  # type: ignore[arg-type]  # one of the kinds
    if code == "13-months":
        return Period(kind="range", first=months_before(until, 12), last=until)
    if code == "all":
        return Period(kind="range", first=min(days.begun, until), last=until)
    if code == RANGE:
        return Period.of("week", until).until(until).model_copy(update={"kind": "range"})
    found = Period.read(code)
    return (found or Period.of("day", days.open_day)).until(until)


def day_picker() -> str:
    """The pattern of days that the date picker knows and is nearest to the language's."""
    pattern = current().dates.upper()
    order = [part for part in ("YYYY/MM/DD", "DD/MM/YYYY", "MM/DD/YYYY") if part[0] == pattern[0]]
    mark = next((mark for mark in "/-." if mark in pattern), "-")
    return (order or ["YYYY/MM/DD"])[0].replace("/", mark)


@cached
def _trust(warehouse: Published, names: tuple[str, ...], _state: tuple[int, int]) -> Trust:
    return trust(warehouse, names, datetime.now(UTC))


def selection(
    home: Path, names: tuple[str, ...], code: str, against: str, *, sees_margins: bool
) -> Selection:
    """The shops and days that codes mean; all shops must be known."""
    first = shops(home)[names[0]]
    zone = closing.zone_of(first["timezone"])
    days = _calendar(home, names, datetime.now(zone).date())
    period = period_of(code, days)
    return Selection(home, names, period, days, first["currency"], zone, against, sees_margins)
