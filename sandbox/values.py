"""Values as the specification writes them: day parameters, booleans, moments, JSON with amounts.

Amounts are ``Decimal`` in memory and stand in stored JSON as numbers with a decimal point; whole
numbers without one are counts and ids. So an amount is known by its type, wherever it stands.
"""

import json
import re
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY = re.compile(r"(\d{2})-([A-Za-z]{3})-(\d{4})(?: (\d{2}):(\d{2})(?::(\d{2}))?)?", re.ASCII)
_MARK = "\x01D"
_MARKED = re.compile(r'"\\u0001D(-?\d+\.\d+)"')
_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class BadValue(ValueError):
    """A parameter that is not in the form the specification asks for."""


def parse_day(text: str) -> date:
    """Read ``dd-mmm-yyyy`` (English month names in any case), e.g. ``05-Jan-2026``."""
    if " " in text:
        raise BadValue("must be a date in the form dd-mmm-yyyy, without a time of day")
    return parse_moment(text).date()


def parse_moment(text: str) -> datetime:
    """Read ``dd-mmm-yyyy``, with ``HH:mm`` or ``HH:mm:ss`` behind it if need be; no zone."""
    if found := _DAY.fullmatch(text):
        day, month, year, hour, minute, second = found.groups("0")
        with suppress(ValueError):
            moment = int(year), MONTHS.index(month.title()) + 1, int(day)
            return datetime(*moment, int(hour), int(minute), int(second))
    raise BadValue("must be in the form dd-mmm-yyyy, for example 05-Jan-2026")


def format_day(day: date) -> str:
    """Write ``dd-mmm-yyyy``, whatever the locale."""
    return f"{day.day:02d}-{MONTHS[day.month - 1]}-{day.year:04d}"


def parse_bool(text: str) -> bool:
    """Read True/False, Yes/No, 1/0 in any case (specification, Resources and their fields)."""
    if (word := text.strip().lower()) not in _FLAGS:
        raise BadValue("must be one of True, False, Yes, No, 1, 0")
    return _FLAGS[word]


def iso_in(moment: datetime, zone: ZoneInfo) -> str:
    """Write a moment in the shop's zone, as the field notes show it: ``2026-07-16T18:22:05-0600``.
    One without a zone is taken for the shop's wall clock."""
    aware = moment.replace(tzinfo=zone) if moment.tzinfo is None else moment.astimezone(zone)
    # %Y does not pad years before 1000 on every system.
    return f"{aware.year:04d}{aware:-%m-%dT%H:%M:%S%z}"


def epoch(text: str | None, zone: ZoneInfo) -> int | None:
    """Seconds since 1970 of a stored timestamp or date, to sort by; None when there is none."""
    if not text:
        return None
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    return int(moment.timestamp())


def dumps(value: Any) -> str:
    """Write JSON in which every ``Decimal`` is a number with a decimal point."""
    return _MARKED.sub(r"\1", json.dumps(value, default=_mark, separators=(",", ":")))


def _mark(value: Any) -> str:
    if isinstance(value, Decimal):
        text = f"{value:f}"
        return _MARK + (text if "." in text else text + ".0")
    raise TypeError(f"{type(value).__name__} has no place in a record")


def loads(text: str) -> Any:
    """Read what :func:`dumps` wrote, amounts as ``Decimal``."""
    return json.loads(text, parse_float=Decimal)


def cents(value: Any) -> int:
    """Give an amount in hundredths, exactly as reports add it up; None counts nothing."""
    return int((Decimal(value or 0) * 100).to_integral_value())
