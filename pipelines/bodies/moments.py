"""Dates and times in bodies: the specification's formats, and people's ways to write them.

Times are the shop's own wall time, without an offset, as the service has them (specification,
Resources and their fields). Dates, datetimes and ISO text are read, too; what a field cannot keep
(a time of day, seconds) or does not have (a time of day) is a fault, never made up. The context of
a validation is the shop's zone, for times that carry an offset.
"""

import re
from datetime import UTC, date, datetime, time
from typing import Annotated, Any

from pydantic import PlainValidator, ValidationInfo
from pydantic_core import PydanticCustomError

from pipelines.bodies.fields import fault, shown
from sources.repair_shop.schema.dates import format_day, format_moment, parse_moment

_SPELLED = re.compile(
    r"\d{2}-[A-Za-z]{3}-\d{4}(?P<clock> \d{2}:\d{2}(:\d{2})?)?|(?P<iso>\d{4}-\d{2}-\d{2})([T ].*)?",
    re.ASCII,
)


def _parsed(value: Any, info: ValidationInfo) -> tuple[datetime, int]:
    """The moment and its precision: 0 a day, 1 to the minute, 2 to the second."""
    if isinstance(value, str) and (found := _SPELLED.fullmatch(value.strip())):
        moment = parse_moment(found[0], UTC)
        if moment is None:
            raise fault(f"{shown(value)} is no date of the calendar")
        is_day = len(moment) == 10
        precision = 0 if is_day else 2 if found["iso"] else (found["clock"] or "").count(":")
        return _local(datetime.fromisoformat(moment), info), precision
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


def when(*formats: str) -> Any:
    """A type of dates in one of the specification's ``formats``, in the shop's wall time; what
    cannot be kept is a fault."""
    kept, note = {one.count(":") for one in formats}, " or ".join(formats)

    def read(value: Any, info: ValidationInfo) -> str:
        try:
            moment, precision = _parsed(value, info)
        except PydanticCustomError as error:
            raise fault(f"{error.message()} ({note})") from None
        if precision == 0 and 0 not in kept:
            raise fault(f"{shown(value)} has no time of day ({note})")
        if kept == {0} and moment.time() != time():
            raise fault(f"{shown(value)} has a time of day, which this field drops ({note})")
        if precision == 0 or kept == {0}:
            return format_day(moment)
        if moment.microsecond or (moment.second and 2 not in kept):
            raise fault(f"{shown(value)} is finer than the field keeps ({note})")
        return format_moment(moment)[: None if 2 in kept else -len(":00")]

    return Annotated[str, PlainValidator(read)]
