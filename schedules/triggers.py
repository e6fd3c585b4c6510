"""When a job is due: pure functions of the calendar, used as APScheduler triggers.

APScheduler's own cron trigger skips a wall time that a spring night does not have and may run one
twice that an autumn night has twice. A shop closes once a day, so :class:`DailyAt` knows exactly
one instant a day: the first of two, and the moment after the gap when there is none.
"""

from abc import abstractmethod
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from apscheduler.triggers.base import BaseTrigger

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)


class Trigger(BaseTrigger):  # type: ignore[misc]  # APScheduler 3 has no types
    """A series of instants (aware, UTC)."""

    @abstractmethod
    def after(self, moment: datetime) -> datetime:
        """The first instant later than ``moment``."""

    @abstractmethod
    def latest(self, moment: datetime) -> datetime:
        """The last instant not later than ``moment``."""

    def get_next_fire_time(self, previous: datetime | None, now: datetime) -> datetime:
        """APScheduler's question; without a previous time ``now`` itself may be due.

        Of the times until ``now`` it gets the last one alone: one run makes up for all, and a clock
        that began in 1970 has six million of every five minutes.
        """
        if previous is None:
            return self.after(now - _TICK)
        return max(self.after(previous), self.latest(now))


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
