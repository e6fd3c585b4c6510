"""The shop's clock: moments as epoch seconds, written as the service writes them.

A moment is an ``int``, seconds since 1970 in UTC. Its text carries the shop's own offset without a
colon (``2026-07-16T18:22:05-0600``), daylight saving included.
"""

import datetime as dt
from calendar import monthrange
from zoneinfo import ZoneInfo

DAY = 86_400
"""Seconds of an ordinary day."""
LAST_SECOND = DAY - 1
"""Second of the day of 23:59:59."""


class ShopClock:
    """Converts between the shop's wall clock and moments.

    Days are ``datetime.date``; seconds of the day count along the wall clock.
    """

    def __init__(self, zone: ZoneInfo) -> None:
        self.zone = zone

    def transitions(self, first: int, last: int) -> list[tuple[int, int]]:
        """Every change of the offset between two moments: when, and by how many seconds the clock
        goes forward. A negative number is an autumn night, whose hour is repeated.
        """
        found = []
        for day in range(first, last, DAY):
            before, after = self._offset(day), self._offset(day + DAY)
            if before != after:
                quarters = range(day, day + DAY + 1, 900)
                moment = next(one for one in quarters if self._offset(one) == after)
                found.append((moment, after - before))
        return found

    def _offset(self, moment: int) -> int:
        offset = self._local(moment).utcoffset()
        return int(offset.total_seconds()) if offset else 0

    def _local(self, moment: int) -> dt.datetime:
        return dt.datetime.fromtimestamp(moment, self.zone)

    def at(self, day: dt.date, second: int) -> int:
        """The moment of a wall-clock second of a day: the first one, where an autumn night repeats
        its hour; of an hour that a spring night leaves out what the clock shows then.
        """
        wall = dt.datetime.combine(day, dt.time(), self.zone) + dt.timedelta(seconds=second)
        return int(wall.timestamp())

    def day(self, moment: int) -> dt.date:
        """The shop's day a moment falls on."""
        return self._local(moment).date()

    def text(self, moment: int) -> str:
        """The moment as the service writes it."""
        text = self._local(moment).isoformat()
        return text[:-3] + text[-2:]


def is_open(day: dt.date) -> bool:
    """Whether the shop does business on a day: not on Sundays, Christmas or New Year's Day."""
    return day.weekday() != 6 and (day.month, day.day) not in {(12, 25), (1, 1)}


def last_of_month(day: dt.date) -> dt.date:
    """The last day of the month a day lies in."""
    return day.replace(day=monthrange(day.year, day.month)[1])


def busyness(day: dt.date, age: float) -> float:
    """How much is going on, relative to the shop's mean day.

    ``age`` is 0 on the shop's first day and 1 on its last: business grows by the factor 2.2.
    """
    if not is_open(day):
        return 0.0
    weekday = (1.2, 1.0, 0.95, 1.0, 1.15, 0.85)[day.weekday()]
    season = (1.1, 0.9, 0.95, 1.0, 1.0, 0.95, 0.85, 0.8, 1.1, 1.0, 1.1, 1.35)[day.month - 1]
    return weekday * season * (0.625 + 0.75 * age)
