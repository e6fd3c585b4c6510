"""What time it is at the service, by the ``Date`` of its answers (RFC 9110, 6.6.1).

Our own clock may be days ahead or behind. What is asked of the service by day is asked by the
service's clock. A window begins by the earlier of the two and has no end.
"""

import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

TOLD_SECONDS = 300.0
"""A difference from which people are told; less is what answers take and clocks drift."""
_OLDEST = datetime(2020, 1, 1, tzinfo=UTC)
"""A ``Date`` before this is a device without a clock, which says nothing."""


def moment_of(text: str) -> datetime | None:
    """A date of HTTP (RFC 9110, 5.6.7) as an aware moment; None when it is none."""
    try:
        moment = parsedate_to_datetime(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def date_of(headers: Mapping[str, str]) -> datetime | None:
    """The moment an answer was made, by its header; None without one, or one of no sense."""
    moment, age = moment_of(headers.get("date", "")), headers.get("age", "").strip()
    if moment is None or moment < _OLDEST:
        return None
    if age.isdecimal() and len(age) < 8:
        # A cache on the way answered; the service made it so many seconds before.
        moment += timedelta(seconds=int(age))
    return moment


class ServiceClock:
    """The service's time, carried on from its newest answer. Safe for threads.

    ``known`` tells the difference another process saw, for the time before the first answer.
    """

    def __init__(self, known: Callable[[], float | None] = lambda: None) -> None:
        self._lock = threading.Lock()
        self._known = known
        self._skew: float | None = None
        self._at: datetime | None = None
        self._ticks = 0.0

    def observe(self, headers: Mapping[str, str]) -> float | None:
        """Take an answer that came just now; how far the service is ahead of us (seconds)."""
        moment = date_of(headers)
        if moment is None:
            return None
        with self._lock:
            self._at, self._ticks = moment, time.monotonic()
            self._skew = (moment - datetime.now(UTC)).total_seconds()
            return self._skew

    @property
    def skew(self) -> float | None:
        """Seconds the service is ahead of our clock; None while nobody knows."""
        if self._skew is None:
            self._skew = self._known()
        return self._skew

    @property
    def seen(self) -> datetime | None:
        """The newest ``Date`` of this process, None without an answer."""
        return self._at

    def now(self) -> datetime:
        """The service's time (UTC); ours as long as it never said one."""
        with self._lock:
            if self._at is not None:
                # Not by our wall clock, which may be set at any moment.
                return self._at + timedelta(seconds=time.monotonic() - self._ticks)
        return datetime.now(UTC) + timedelta(seconds=self.skew or 0.0)

    def earlier(self, moment: datetime | None = None) -> datetime:
        """A moment of our clock (by default now) as the clock that is behind shows it: for the
        beginning of a window."""
        if moment is None:
            return min(datetime.now(UTC), self.now())
        return moment + timedelta(seconds=min(self.skew or 0.0, 0.0))

    def later(self) -> datetime:
        """Now, by the clock that is ahead."""
        return max(datetime.now(UTC), self.now())


def clock_words(skew: float | None) -> str:
    """A difference worth telling, in words; empty when there is none."""
    if skew is None or abs(skew) < TOLD_SECONDS:
        return ""
    size = abs(skew)
    for unit, seconds in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if size >= 2 * seconds:
            text = f"{size / seconds:.0f} {unit}"
            break
    return (
        f"This machine's clock is {text} {'behind' if skew > 0 else 'ahead of'} the service's: "
        "set it right. Nothing is missed by it, but times shown here are wrong"
    )
