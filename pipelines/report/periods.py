"""Periods of a shop's days, and what each is compared with: one rule for report, page and mail."""

import re
from datetime import date, timedelta
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict

from pipelines.language import _, current

Kind = Literal["day", "week", "month", "quarter", "year", "range"]
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
"""How many months a period of a kind has."""
_YEARS = range(1900, 9000)
"""Those whose neighbours Python can count, too."""


class Period(BaseModel):
    """Days from ``first`` to ``last``, both included; a week begins on Monday."""

    model_config = ConfigDict(frozen=True)
    kind: Kind
    first: date
    last: date

    @classmethod
    def of(cls, kind: Kind, day: date) -> Self:
        """The whole period of a kind that a day lies in."""
        if kind in ("day", "range"):
            return cls(kind=kind, first=day, last=day)
        if kind == "week":
            first = day - timedelta(days=day.weekday())
            return cls(kind=kind, first=first, last=first + timedelta(days=6))
        size = _MONTHS[kind]
        first = day.replace(month=(day.month - 1) // size * size + 1, day=1)
        return cls(kind=kind, first=first, last=_months_on(first, size) - timedelta(days=1))

    @classmethod
    def read(cls, text: str) -> Self | None:
        """``2026``, ``2026-Q4``, ``2026-11``, ``2026-W47``, ``2026-11-20`` or, of a range,
        ``2026-11-01--2026-11-20`` with its days in any order; None for others, and for years that
        no shop knew."""
        try:
            found = cls._read(text)
        except (ValueError, OverflowError):
            return None
        return found if found.first.year in _YEARS and found.last.year in _YEARS else None

    @classmethod
    def _read(cls, text: str) -> Self:
        if "--" in text:
            first, last = sorted(map(date.fromisoformat, text.split("--")))
            return cls(kind="range", first=first, last=last)
        if re.fullmatch(r"\d{4}", text):
            return cls.of("year", date(int(text), 1, 1))
        if found := re.fullmatch(r"(\d{4})-Q([1-4])", text, re.I):
            return cls.of("quarter", date(int(found[1]), int(found[2]) * 3, 1))
        if found := re.fullmatch(r"(\d{4})-W(\d\d)", text, re.I):
            return cls.of("week", date.fromisocalendar(int(found[1]), int(found[2]), 1))
        if re.fullmatch(r"\d{4}-\d\d", text):
            return cls.of("month", date.fromisoformat(text + "-01"))
        return cls.of("day", date.fromisoformat(text))

    @property
    def label(self) -> str:
        """What :meth:`read` reads."""
        if self.kind == "week":
            year, week, _day = self.first.isocalendar()
            return f"{year}-W{week:02}"
        return {
            "day": self.first.isoformat(),
            "month": f"{self.first:%Y-%m}",
            "quarter": f"{self.first:%Y}-Q{(self.first.month + 2) // 3}",
            "year": f"{self.first:%Y}",
            "range": f"{self.first}--{self.last}",
        }[self.kind]

    @property
    def shown(self) -> str:
        """The same as the reader writes days and months."""
        if self.kind == "day" or self.first == self.last:
            return current().day(self.first)
        if self.kind == "month":
            return current().month(self.first)
        if self.kind == "range":
            return self.days
        if self.kind == "week":
            year, week, _day = self.first.isocalendar()
            return _("week {week} of {year}", week=week, year=str(year))
        return self.label

    @property
    def days(self) -> str:
        """Its first and last day."""
        return f"{current().day(self.first)} \u2013 {current().day(self.last)}"

    @property
    def said(self) -> str:
        """Of a day its weekday too, of another period its first and last day."""
        is_day = self.first == self.last
        return f"{current().weekday(self.first)} {self.shown}" if is_day else self.days

    def until(self, last: date) -> Self:
        """As much of it as there is up to a day; the period itself where that is before it."""
        cut = last if self.first <= last < self.last else self.last
        return self.model_copy(update={"last": cut})

    @property
    def is_whole(self) -> bool:
        """Whether all its days are in it."""
        return self.kind == "range" or self.last == type(self).of(self.kind, self.first).last

    @property
    def length(self) -> int:
        """How many days it has."""
        return (self.last - self.first).days + 1

    def previous(
        self, open_day_before: date | None = None, *, is_running: bool = False
    ) -> Self | None:
        """The period before, as long: of a day the last open one, of a month to date as many days.

        A month is to date until its last day is over: ``is_running``. None for a day without an
        open day before it.
        """
        if self.kind == "day":
            return None if open_day_before is None else type(self).of("day", open_day_before)
        if self.kind == "range":
            back = timedelta(days=self.length)
            return self.model_copy(update={"first": self.first - back, "last": self.last - back})
        return self._as_long(type(self).of(self.kind, self.first - timedelta(days=1)), is_running)

    def year_before(self, *, is_running: bool = False) -> Self:
        """The same a year before: of a day the same weekday four weeks back, of a week 52 weeks,
        of a year two years."""
        if self.kind in ("day", "week"):
            back = timedelta(days=28 if self.kind == "day" else 364)
            return self.model_copy(update={"first": self.first - back, "last": self.last - back})
        first = _months_on(self.first, -24 if self.kind == "year" else -12)
        if self.kind == "range":
            day = min(self.first.day, _last_day(first))
            last = _months_on(self.last.replace(day=1), -12)
            last = last.replace(day=min(self.last.day, _last_day(last)))
            return self.model_copy(update={"first": first.replace(day=day), "last": last})
        return self._as_long(type(self).of(self.kind, first), is_running)

    def _as_long(self, other: Self, is_running: bool) -> Self:
        """``other``, cut after as many days as this one has, unless this one is whole and over."""
        if self.is_whole and not is_running:
            return other
        return other.until(other.first + (self.last - self.first))


def months_before(day: date, count: int) -> date:
    """The first day of the month that many months before the month of ``day``."""
    return _months_on(day, -count)


def _months_on(day: date, count: int) -> date:
    months = day.year * 12 + day.month - 1 + count
    return date(months // 12, months % 12 + 1, 1)


def _last_day(month: date) -> int:
    return (_months_on(month, 1) - timedelta(days=1)).day
