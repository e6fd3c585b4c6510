"""Dates and times in bodies: the specification's formats, and people's ways to write them.

Times are the shop's own wall time, without an offset, as the service has them (specification,
Resources and their fields). Dates, datetimes and ISO text are read, too; what a field cannot keep
(a time of day, seconds) or does not have (a time of day) is a fault, never made up. The context of
a validation is the shop's zone, for times that carry an offset. The
validation's context is the shop's zone, for times that carry an offset.
"""

import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Annotated, Any

from pydantic import PlainValidator, ValidationInfo
from pydantic_core import PydanticCustomError

from ...schema.bodies.fields import fault, shown
from ...schema.dates import MONTHS, format_day

_MOMENT = re.compile(
    r"(?P<day>\d{2})-(?P<month>[A-Za-z]{3})-(?P<year>\d{4})"
    r"(?: (?P<hour>\d{2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?)?",
    re.ASCII,
)
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?", re.ASCII)


def _parsed(value: Any, info: ValidationInfo) -> tuple[datetime, int]:
    """The moment and its precision: 0 a day, 1 to the minute, 2 to the second."""
    if isinstance(value, str):
        if found := _MOMENT.fullmatch(value):
            month = found["month"].capitalize()
            hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
            try:
                moment = datetime(
                    int(found["year"]),
                    MONTHS.index(month) + 1,
                    int(found["day"]),
                    hour,
                    minute,
                    second,
                )
            except ValueError:
                raise fault(f"{shown(value)} is no date of the calendar") from None
            return moment, 2 if found["second"] else 1 if found["hour"] else 0
        if _ISO.fullmatch(value.strip()):
            try:
                read = datetime.fromisoformat(value.strip())
            except ValueError:
                raise fault(f"{shown(value)} is no date of the calendar") from None
            return _local(read, info), 0 if len(value.strip()) == 10 else 2
    if isinstance(value, datetime):
        return _local(value, info), 2
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day), 0
    raise fault(f"{shown(value)} is no date of the form dd-mmm-yyyy")


def _local(moment: datetime, info: ValidationInfo) -> datetime:
    """Wall time in the shop's zone, which is what the service means by a time."""
    if moment != moment:  # pandas' "not a time" is a datetime that equals nothing
        raise fault("is empty")
    if moment.utcoffset() is None:
        return moment.replace(tzinfo=None)
    if info.context is None:
        raise fault("has an offset, and the shop's time zone is not known here")
    return moment.astimezone(info.context).replace(tzinfo=None)


def _when(formats: tuple[int, ...], note: str) -> Callable[[Any, ValidationInfo], str]:
    """A reader of dates in one of ``formats`` (precisions); what cannot be kept is a fault."""

    def read(value: Any, info: ValidationInfo) -> str:
        try:
            moment, precision = _parsed(value, info)
        except PydanticCustomError as error:
            raise fault(f"{error.message()} ({note})") from None
        midnight = (moment.hour, moment.minute, moment.second, moment.microsecond) == (0, 0, 0, 0)
        day = format_day(moment)
        if precision in formats and precision == 0:
            return day
        if precision == 0:
            raise fault(f"{shown(value)} has no time of day ({note})")
        if formats == (0,):
            if not midnight:
                raise fault(f"{shown(value)} has a time of day, which this field drops ({note})")
            return day
        if moment.microsecond or (moment.second and 2 not in formats):
            raise fault(f"{shown(value)} is finer than the field keeps ({note})")
        clock = f"{moment.hour:02d}:{moment.minute:02d}"
        return f"{day} {clock}:{moment.second:02d}" if 2 in formats else f"{day} {clock}"

    return read


def _when_type(formats: tuple[int, ...], note: str) -> Any:
    return Annotated[str, PlainValidator(_when(formats, note))]


Day = _when_type((0,), "dd-mmm-yyyy")
"""A day, ``05-Jan-2026``."""
Minute = _when_type((1,), "dd-mmm-yyyy HH:mm")
"""A moment to the minute, in the shop's wall time."""
Second = _when_type((2,), "dd-mmm-yyyy HH:mm:ss")
"""A moment to the second, in the shop's wall time."""
DayOrSecond = _when_type((0, 2), "dd-mmm-yyyy or dd-mmm-yyyy HH:mm:ss")
"""Due dates: "date and time on the create form that takes a time" (specification, Ticket)."""
AnyMoment = _when_type((0, 1, 2), "dd-mmm-yyyy, with HH:mm or HH:mm:ss if there is a time")
"""A date whose format the specification does not name: one of the commonly used ones."""
