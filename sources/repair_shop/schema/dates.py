"""Dates and moments as the service writes and reads them, without the machine's locale.

The specification's date inputs are ``dd-mmm-yyyy`` with optional ``HH:mm[:ss]`` (specification,
Resources and their fields); real answers carry ISO 8601 with or without an offset, days with
slashes, or epoch numbers (field notes, Shapes).
"""

import re
from calendar import monthrange
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from typing import Literal

Order = Literal["day first", "month first"]
"""How ``07/05/2026`` is meant: the seventh of May, or the fifth of July."""

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_SPANISH = "ene feb mar abr may jun jul ago sep oct nov dic".split()
_MONTH_NUMBERS: dict[str, int] = {"sept": 9, "set": 9} | {
    name: number
    for number, (long, spanish) in enumerate(zip(_MONTHS, _SPANISH, strict=True), 1)
    for name in (long, long[:3], spanish)
}
"""English months, and the short ones in English and Spanish."""

_TIME = (
    r"(?:[T\s]\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<part>\d+))?)?"
    r"\s*(?P<half>[AaPp][Mm])?\s*(?P<offset>[Zz]|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?"
)
_SHAPES = (
    re.compile(r"(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})" + _TIME),
    re.compile(
        r"(?P<day>\d{1,2})[-\s](?P<name>[A-Za-z]{3,9})\.?[-\s](?P<year>\d{4}|\d{2})" + _TIME
    ),
)
_SLASHES = re.compile(r"(?P<day>\d{1,2})/(?P<month>\d{1,2})/(?P<year>\d{4})" + _TIME)
_ISO = re.compile(
    r"\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):\d{2}:\d{2}(Z|[+-](0\d|1[0-8]):?[0-5]\d)?", re.ASCII
)
"""The usual spellings, which Python reads itself."""
_EPOCH = re.compile(r"\d{9,10}|\d{12,13}")
_LONGEST = 60
"""Characters of the longest moment; a longer text is none, and costs no search."""


def format_day(day: date) -> str:
    """``05-Jan-2026``, as the date parameters want it (specification, ``dd-mmm-yyyy``)."""
    return f"{day.day:02d}-{_MONTHS[day.month - 1][:3].capitalize()}-{day.year:04d}"


def format_moment(moment: datetime) -> str:
    """``05-Jan-2026 14:05:09``, as the bodies of writes want it (``dd-mmm-yyyy HH:mm:ss``)."""
    return f"{format_day(moment)} {moment.hour:02d}:{moment.minute:02d}:{moment.second:02d}"


def month_number(name: str) -> int | None:
    """1 to 12 for a month's English name, or its short one in English or Spanish."""
    return _MONTH_NUMBERS.get(name.lower())


def order_of(value: object) -> Order | None:
    """What a day with slashes shows to come first; None where it shows nothing."""
    if not isinstance(value, str) or "/" not in value or len(value) > _LONGEST:
        return None
    found = _SLASHES.fullmatch(value.strip())
    if found is None:
        return None
    first, second = int(found["day"]), int(found["month"])
    if (first > 12) == (second > 12):
        return None
    return "day first" if first > 12 else "month first"


def parse_moment(value: object, zone: tzinfo, order: Order | None = None) -> str | None:
    """Any of the service's styles in ISO 8601: ``2026-07-16T18:22:05-06:00``, no offset if none
    came, or a date. None when it is none of them (the caller keeps the value).

    A number is an epoch in seconds or milliseconds, told in ``zone``. A date alone stays a date.
    ``16/07/2026`` can only be one day; ``07/05/2026`` is the one that ``order`` says, or none. Any
    JSON value may be given.
    """
    if isinstance(value, int | Decimal):
        return None if isinstance(value, bool) else _epoch(value, zone)
    if not isinstance(value, str):
        return None
    text = value.strip()
    if len(text) > _LONGEST:
        return None
    if _ISO.fullmatch(text):
        try:
            return datetime.fromisoformat(text).isoformat()
        except ValueError:
            return None
    if _EPOCH.fullmatch(text):
        return _epoch(int(text), zone)
    for shape in _SHAPES:
        found = shape.fullmatch(text)
        if found:
            return _build(found.groupdict())
    return _with_slashes(text, order) if "/" in text else None


def _with_slashes(text: str, order: Order | None) -> str | None:
    found = _SLASHES.fullmatch(text)
    if found is None:
        return None
    parts = found.groupdict()
    by_day = _build(parts)
    by_month = _build(parts | {"day": parts["month"], "month": parts["day"]})
    if order is None and by_day and by_month and by_day != by_month:
        return None
    first, second = (by_month, by_day) if order == "month first" else (by_day, by_month)
    return first or second


def local_day(iso_text: str, zone: tzinfo) -> date:
    """The shop's own day of what :func:`parse_moment` gave.

    A moment without an offset is already in the shop's zone. :class:`ValueError` if it is no ISO.
    """
    if len(iso_text) == 10:
        return date.fromisoformat(iso_text)
    return _day(datetime.fromisoformat(iso_text), zone)


def day_in(value: object, zone: tzinfo, order: Order | None = None) -> date | None:
    """The shop's own day of a moment as the service spells it.

    None when it is no moment or one that may be two days. None, too, for the first and last hours
    of the calendar, whose day lies outside of it.
    """
    try:
        if isinstance(value, str) and _ISO.fullmatch(value):
            # What most rows bear, and what parse_moment() makes of it, without a text in between.
            return _day(datetime.fromisoformat(value), zone)
        parsed = parse_moment(value, zone, order)
        return None if parsed is None else local_day(parsed, zone)
    except ValueError:
        return None


def _day(moment: datetime, zone: tzinfo) -> date:
    if moment.tzinfo is None:
        return moment.date()
    try:
        return moment.astimezone(zone).date()
    except OverflowError as error:
        raise ValueError(f"{moment.isoformat()!r} lies outside the calendar") from error


def _epoch(number: int | Decimal, zone: tzinfo) -> str | None:
    if 10**11 <= number < 10**13:
        number = Decimal(number) / 1000
    if not 10**8 <= number < 10**10:
        # Before 1973 or after 2286: a plain number, not a moment.
        return None
    microseconds = int(number * 1_000_000)
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
    return moment.astimezone(zone).isoformat()


def _build(parts: dict[str, str | None]) -> str | None:
    name = parts.get("name")
    month = int(parts["month"] or 0) if name is None else _MONTH_NUMBERS.get(name.lower(), 0)
    try:
        year = int(parts["year"] or 0)
        if len(parts["year"] or "") == 2:
            # A shop's days lie in this century, dates of birth mostly in the last one.
            year += 2000 if year < 40 else 1900
        day = date(year, month, int(parts["day"] or 0))
        if parts["hour"] is None:
            return day.isoformat()
        hour = int(parts["hour"])
        if parts["half"]:
            if not 1 <= hour <= 12:
                return None
            hour = hour % 12 + (12 if parts["half"].lower() == "pm" else 0)
        fraction = (parts["part"] or "")[:6].ljust(6, "0")
        clock = time(hour, int(parts["minute"] or 0), int(parts["second"] or 0), int(fraction))
        return datetime.combine(day, clock, parse_offset(parts["offset"])).isoformat()
    except ValueError:
        return None


def parse_offset(text: str | None) -> timezone | None:
    """``-0600``, ``+05:30``, ``Z`` as an offset; ValueError for one that no zone has."""
    if text is None:
        return None
    if text.upper() in ("Z", "UTC", "GMT"):
        return UTC
    digits = text[1:].replace(":", "").ljust(4, "0")
    hours, minutes = int(digits[:2]), int(digits[2:])
    if hours > 18 or minutes > 59:
        raise ValueError("no such offset")
    size = timedelta(hours=hours, minutes=minutes)
    return timezone(-size if text[0] == "-" else size)


def month_end(day: date) -> date:
    """The last day of the month of ``day``."""
    return day.replace(day=monthrange(day.year, day.month)[1])
