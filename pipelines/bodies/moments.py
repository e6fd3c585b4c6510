"""Dates and times in bodies: the specification's formats, and people's ways to write them.

Times are the shop's own wall time, without an offset, as the service has them (specification,
Resources and their fields). Dates, datetimes and ISO text are read, too; what a field cannot keep
(a time of day, seconds) or does not have (a time of day) is a fault, never made up. Times that
carry an offset become those of the shop's zone.
"""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, tzinfo
from typing import Any

from sources.repair_shop.schema.dates import format_day, format_moment, parse_moment

_SPELLED = re.compile(
    r"\d{2}-[A-Za-z]{3}-\d{4}(?P<clock> \d{2}:\d{2}(:\d{2})?)?|(?P<iso>\d{4}-\d{2}-\d{2})([T ].*)?",
    re.ASCII,
)


_COMMON = ("dd-mmm-yyyy", "dd-mmm-yyyy HH:mm", "dd-mmm-yyyy HH:mm:ss")
"""The commonly used formats: for a date of which the document gives none."""


class Fault(ValueError):
    """A fault of one field, in words for the person who wrote the value."""


def shown(value: Any) -> str:
    """A value in a message, short."""
    text = "null" if value is None else repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _parsed(value: Any, zone: tzinfo | None) -> tuple[datetime, int]:
    """The moment and its precision: 0 a day, 1 to the minute, 2 to the second."""
    if isinstance(value, str) and (found := _SPELLED.fullmatch(value.strip())):
        iso = parse_moment(found[0], UTC)
        if iso is None:
            raise Fault(f"{shown(value)} is no date of the calendar")
        is_day = len(iso) == 10
        precision = 0 if is_day else 2 if found["iso"] else (found["clock"] or "").count(":")
        return _local(datetime.fromisoformat(iso), zone), precision
    if isinstance(value, datetime):
        return _local(value, zone), 2
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day), 0
    raise Fault(f"{shown(value)} is no date of the form dd-mmm-yyyy")


def _local(given: datetime, zone: tzinfo | None) -> datetime:
    """Wall time in the shop's zone, which is what the service means by a time."""
    if given != given:  # pandas' "not a time" is a datetime that equals nothing
        raise Fault("is empty")
    if given.utcoffset() is None:
        return given.replace(tzinfo=None)
    if zone is None:
        raise Fault("has an offset, and the shop's time zone is not known here")
    return given.astimezone(zone).replace(tzinfo=None)


def moment(value: Any, formats: Sequence[str], zone: tzinfo | None) -> str:
    """A date in one of the specification's ``formats``, in the shop's wall time; what cannot be
    kept is a fault."""
    formats = formats or _COMMON
    kept = {one.count(":") for one in formats}
    try:
        found, precision = _parsed(value, zone)
        if precision == 0 and 0 not in kept:
            raise Fault(f"{shown(value)} has no time of day")
        if kept == {0} and found.time() != time():
            raise Fault(f"{shown(value)} has a time of day, which this field drops")
        if precision == 0 or kept == {0}:
            return format_day(found)
        if found.microsecond or (found.second and 2 not in kept):
            raise Fault(f"{shown(value)} is finer than the field keeps")
    except Fault as fault:
        raise Fault(f"{fault} ({' or '.join(formats)})") from None
    return format_moment(found)[: None if 2 in kept else -len(":00")]
