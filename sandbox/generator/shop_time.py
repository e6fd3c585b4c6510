"""The shop's clock: moments as epoch seconds, written as the service writes them.

A moment is an ``int``, seconds since 1970 in UTC. Its text carries the shop's own offset without a
colon (``2026-07-16T18:22:05-0600``), daylight saving included.
"""

import datetime as dt
from bisect import bisect_right
from calendar import monthrange
from functools import lru_cache
from zoneinfo import ZoneInfo

DAY = 86_400
"""Seconds of an ordinary day."""
LAST_SECOND = DAY - 1
"""Second of the day of 23:59:59."""
_EPOCH = dt.date(1970, 1, 1).toordinal()


def _offset(zone: ZoneInfo, moment: int) -> int:
    offset = dt.datetime.fromtimestamp(moment, zone).utcoffset()
    return int(offset.total_seconds()) if offset else 0


@lru_cache(maxsize=4096)
def _day_text(day: int) -> str:
    return dt.date.fromordinal(day + _EPOCH).isoformat()


class ShopClock:
    """Converts between the shop's wall clock and moments, for the years the shop has data of.

    Days are ``datetime.date``; seconds of the day count along the wall clock.
    """

    def __init__(self, zone: ZoneInfo, first: dt.date, last: dt.date) -> None:
        self.zone = zone
        low = (first.toordinal() - _EPOCH - 400) * DAY
        high = (last.toordinal() - _EPOCH + 400) * DAY
        self._starts = [low]
        self._offsets = [_offset(zone, low)]
        for moment in range(low, high, DAY):
            if _offset(zone, moment + DAY) != self._offsets[-1]:
                self._add_transition(moment, moment + DAY)

    def _add_transition(self, before: int, after: int) -> None:
        while after - before > 1:
            middle = (before + after) // 2
            if _offset(self.zone, middle) == self._offsets[-1]:
                before = middle
            else:
                after = middle
        self._starts.append(after)
        self._offsets.append(_offset(self.zone, after))

    def transitions(self) -> list[tuple[int, int]]:
        """Every change of the offset: its moment, and by how many seconds the clock goes forward.

        A negative number is an autumn night, whose hour is repeated.
        """
        pairs = zip(self._offsets, self._offsets[1:], strict=False)
        return [
            (start, new - old) for start, (old, new) in zip(self._starts[1:], pairs, strict=True)
        ]

    def offset(self, moment: int) -> int:
        """Seconds the shop's clock is ahead of UTC."""
        return self._offsets[max(bisect_right(self._starts, moment) - 1, 0)]

    def at(self, day: dt.date, second: int, fold: int = 0) -> int:
        """The moment of a wall-clock second of a day.

        ``fold=1`` is the second run of an hour that an autumn night repeats.
        """
        wall = (day.toordinal() - _EPOCH) * DAY + second
        early, late = self.offset(wall - DAY), self.offset(wall + DAY)
        if early == late:
            return wall - early
        candidates = sorted(m for m in {wall - early, wall - late} if self.offset(m) == wall - m)
        if (
            not candidates
        ):  # an hour that the spring night leaves out: the clock shows the later one
            return wall - early
        return candidates[min(fold, len(candidates) - 1)]

    def day(self, moment: int) -> dt.date:
        """The shop's day a moment falls on."""
        return dt.date.fromordinal((moment + self.offset(moment)) // DAY + _EPOCH)

    def text(self, moment: int) -> str:
        """The moment as the service writes it."""
        offset = self.offset(moment)
        day, second = divmod(moment + offset, DAY)
        hours, rest = divmod(second, 3600)
        minutes, seconds = divmod(rest, 60)
        sign = "-" if offset < 0 else "+"
        away = abs(offset) // 60
        return (
            f"{_day_text(day)}T{hours:02d}:{minutes:02d}:{seconds:02d}"
            f"{sign}{away // 60:02d}{away % 60:02d}"
        )


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
