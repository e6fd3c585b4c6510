"""A period as a report writes it -> year, month and day, as far as it says them.

A text may allow several layouts (``01/02/2026`` is a day of January or of February): all are given,
and the reader finds out which of them makes sense of the whole report.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, Literal, NamedTuple
from zoneinfo import ZoneInfo

from pipelines.service_reports.words import FILLERS, MONTH_NUMBERS, WEEKDAYS, Role
from sources.repair_shop.schema.dates import parse_moment, parse_offset

Grain = Literal["month", "day"]


class Part(NamedTuple):
    """What is known of a period; None where the text does not say it."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def merged(self, other: "Part") -> "Part | None":
        """Both together; None when they contradict each other."""
        both = []
        for mine, theirs in zip(self, other, strict=True):
            if mine is not None and theirs is not None and mine != theirs:
                return None
            both.append(theirs if mine is None else mine)
        return Part(*both)


_CLOCK = re.compile(
    r"(?P<date>.*\d)(?:[T\s]\s*)(?P<clock>\d{1,2}:\d{2}(?::\d{2})?)(?:[.,]\d+)?"
    r"\s*(?P<offset>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"\d{1,4}(?:[-/. ]{1,2}\d{1,4}){0,2}\.?")
_LONGEST = 60


def layouts(value: Any, role: Role, grain: Grain, zone: ZoneInfo) -> Mapping[str, Part]:
    """Every way to read a period: layout -> what it says. Empty when it is none."""
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        return {}
    if isinstance(value, Decimal):
        if value != value.to_integral_value() or abs(value) > 10**14:
            return {}
        value = int(value)
    text = str(value).strip()[:_LONGEST]
    clock = _CLOCK.fullmatch(text)
    if clock:
        return dict(_with_clock(clock, grain, zone))
    return {name: part for name, part in _without_clock(text, role, grain, zone) if _exists(part)}


def _exists(part: Part) -> bool:
    """Whether there is such a day, month and year."""
    if part.year is not None and not 1900 <= part.year <= 2199:
        return False
    try:
        date(part.year or 2000, 1 if part.month is None else part.month, part.day or 1)
    except ValueError:
        return False
    return part.day != 0


def _with_clock(found: re.Match[str], grain: Grain, zone: ZoneInfo) -> Iterator[tuple[str, Part]]:
    """A moment stands for the day it begins, by the clock it is told in or by the shop's.

    One that begins neither day, and is not on the same day by both, could mean either.
    """
    hours, minutes, *_ = (int(part) for part in found["clock"].split(":"))
    for name, part in layouts(found["date"], "date", grain, zone).items():
        if None in part or hours > 23 or minutes > 59:
            continue
        day = date(*(number or 0 for number in part))
        if found["offset"] and (hours or minutes):
            try:
                there = datetime.combine(day, time(hours, minutes), parse_offset(found["offset"]))
            except ValueError:
                continue
            here = there.astimezone(zone)
            begins = datetime.combine(here.date(), time(), zone)  # 01:00 where clocks change then
            if here.date() != day and there.timestamp() != begins.timestamp():
                continue
            day = here.date()
        yield name, Part(day.year, day.month, day.day)


def _without_clock(
    text: str, role: Role, grain: Grain, zone: ZoneInfo
) -> Iterator[tuple[str, Part]]:
    if text.isascii() and text.isdigit():
        yield from _one_number(text, role, grain, zone)
    elif _NUMBERS.fullmatch(text):
        yield from _numbers(re.findall(r"\d+", text), grain)
    else:
        yield from _with_a_name(text, grain)


def _one_number(text: str, role: Role, grain: Grain, zone: ZoneInfo) -> Iterator[tuple[str, Part]]:
    number = int(text)
    if len(text) == 4:
        yield "yyyy", Part(year=number)
    elif len(text) == 6:
        yield "yyyymm", Part(number // 100, number % 100)
    elif len(text) == 8:
        yield "yyyymmdd", Part(number // 10_000, number // 100 % 100, number % 100)
    elif len(text) > 8:
        yield from _epoch(number, grain, zone)
    elif len(text) <= 2 and role != "year":
        if role == "day" or (grain == "day" and role != "month"):
            yield "dd", Part(day=number)
        if role == "month" or (role != "day" and (grain == "month" or role == "weak")):
            yield "mm", Part(month=number)


def _epoch(number: int, grain: Grain, zone: ZoneInfo) -> Iterator[tuple[str, Part]]:
    moment = parse_moment(number, UTC)
    if moment is not None:
        found = _CLOCK.fullmatch(moment)
        if found:
            yield from _with_clock(found, grain, zone)


def _numbers(numbers: list[str], grain: Grain) -> Iterator[tuple[str, Part]]:
    sizes, values = [len(number) for number in numbers], [int(number) for number in numbers]
    if any(size == 3 for size in sizes):
        return
    if len(values) == 3 and sizes[0] == 4:
        yield "yyyy-mm-dd", Part(*values)
    elif len(values) == 3 and sizes[2] == 4:
        yield "dd-mm-yyyy", Part(values[2], values[1], values[0])
        yield "mm-dd-yyyy", Part(values[2], values[0], values[1])
    elif len(values) == 2 and sizes[0] == 4:
        yield "yyyy-mm", Part(values[0], values[1])
    elif len(values) == 2 and sizes[1] == 4:
        yield "mm-yyyy", Part(values[1], values[0])
    elif len(values) == 2 and grain == "day":
        yield "dd-mm", Part(None, values[1], values[0])
        yield "mm-dd", Part(None, values[0], values[1])


def _with_a_name(text: str, grain: Grain) -> Iterator[tuple[str, Part]]:
    """``Jan``, ``enero 2026``, ``5 de enero de 2026``, ``Mon, 05-Jan-26``."""
    letters = unicodedata.normalize("NFKD", text.lower())
    letters = "".join(c for c in letters if not unicodedata.combining(c))
    tokens = re.findall(r"[^\W\d_]+|\d+", letters)
    words = [t for t in tokens if not t.isdigit() and t not in FILLERS and t not in WEEKDAYS]
    numbers = [t for t in tokens if t.isdigit()]
    if len(words) != 1 or words[0] not in MONTH_NUMBERS or len(numbers) > 2:
        return
    month = MONTH_NUMBERS[words[0]]
    years = [int(n) for n in numbers if len(n) == 4]
    short = [int(n) for n in numbers if len(n) <= 2]
    if len(years) + len(short) != len(numbers) or len(years) > 1:
        return
    if len(short) == 2:  # a year of two digits stands behind the day
        yield "dd mmm yy", Part(2000 + short[1], month, short[0])
    elif short and not years and grain == "month":
        yield "mmm yy", Part(2000 + short[0], month)
    else:
        yield "mmm", Part(years[0] if years else None, month, short[0] if short else None)
