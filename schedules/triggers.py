"""When a job is due: pure functions of the calendar.

A spring night does not have each wall time, and an autumn night has some twice. A shop closes once
a day, so :class:`DailyAt` knows exactly one instant a day: the first of two, and the moment after
the gap when there is none.
"""

from abc import ABC, abstractmethod
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Trigger(ABC):
    """A series of instants (aware, UTC)."""

    @abstractmethod
    def after(self, moment: datetime) -> datetime:
        """The first instant later than ``moment``."""

    @abstractmethod
    def latest(self, moment: datetime) -> datetime:
        """The last instant not later than ``moment``."""


class DailyAt(Trigger):
    """Once a day at a wall-clock time of a zone, optionally on one day of the week (0 Monday)."""

    def __init__(self, at: time, zone: ZoneInfo, weekday: int | None = None) -> None:
        self.at, self.zone, self.weekday = at, zone, weekday

    def __str__(self) -> str:
        return f"{self.at:%H:%M} {self.zone.key}"

    def after(self, moment: datetime) -> datetime:
        """See :class:`Trigger`."""
        return next(found for found in self._around(moment, -1) if found > moment)

    def latest(self, moment: datetime) -> datetime:
        """See :class:`Trigger`."""
        return next(found for found in self._around(moment, 1, back=True) if found <= moment)

    def _around(self, moment: datetime, start: int, *, back: bool = False) -> list[datetime]:
        # Ten days hold at least one of each weekday whatever day a zone leaves out.
        today = moment.astimezone(self.zone).date()
        days = [today + timedelta(days=start + (-n if back else n)) for n in range(11)]
        return [
            # fold=0: before the change of offset, both for a gap and for the first of two.
            datetime.combine(day, self.at, self.zone).astimezone(UTC)
            for day in days
            if self.weekday is None or day.weekday() == self.weekday
        ]


class EveryMinutes(Trigger):
    """Every so many minutes, counted from a fixed moment, so that a restart shifts nothing."""

    def __init__(self, minutes: int) -> None:
        self.step = timedelta(minutes=minutes)

    def __str__(self) -> str:
        return f"every {self.step.total_seconds() / 60:g} min"

    def after(self, moment: datetime) -> datetime:
        """See :class:`Trigger`."""
        return self.latest(moment) + self.step

    def latest(self, moment: datetime) -> datetime:
        """See :class:`Trigger`."""
        return _EPOCH + (moment - _EPOCH) // self.step * self.step
