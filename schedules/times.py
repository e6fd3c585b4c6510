"""When a job is due: two pure functions of the calendar.

A wall time that a spring night does not have, and one that an autumn night has twice, are one
moment each: a shop closes once a day.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Daily:
    """Once a day at a wall-clock time of a zone, optionally on one day of the week (0 Monday)."""

    at: time
    zone: ZoneInfo
    weekday: int | None = None

    def __str__(self) -> str:
        return f"{self.at:%H:%M} {self.zone.key}"

    def after(self, moment: datetime) -> datetime:
        """The first due moment (aware, UTC) later than ``moment``."""
        return min(found for found in self._around(moment) if found > moment)

    def latest(self, moment: datetime) -> datetime:
        """The last due moment (aware, UTC) not later than ``moment``."""
        return max(found for found in self._around(moment) if found <= moment)

    def _around(self, moment: datetime) -> list[datetime]:
        # Ten days hold at least one of each weekday, whatever day a zone leaves out.
        today = moment.astimezone(self.zone).date()
        days = [today + timedelta(days=n) for n in range(-10, 11)]
        return [
            # fold=0: before the change of offset, both for a gap and for the first of two.
            datetime.combine(day, self.at, self.zone).astimezone(UTC)
            for day in days
            if self.weekday is None or day.weekday() == self.weekday
        ]


@dataclass(frozen=True, slots=True)
class Every:
    """Every so many minutes, counted from a fixed moment, so that a restart shifts nothing."""

    minutes: int

    def __str__(self) -> str:
        return f"every {self.minutes} min"

    def after(self, moment: datetime) -> datetime:
        """See :class:`Daily`."""
        return self.latest(moment) + timedelta(minutes=self.minutes)

    def latest(self, moment: datetime) -> datetime:
        """See :class:`Daily`."""
        return _EPOCH + (moment - _EPOCH) // (step := timedelta(minutes=self.minutes)) * step


Times = Daily | Every
