"""What every part of the shop shares: its size, clock, dice and counters, and where records go.

A moment is an ``int``, seconds since 1970 in UTC. Its text carries the shop's own offset without a
colon (``2026-07-16T18:22:05-0600``), daylight saving included.
"""

import datetime as dt
import random
import tomllib
from calendar import monthrange
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

from sandbox.resources import RESOURCES

Record = dict[str, Any]
Size = Literal["tiny", "small", "medium", "large"]


@dataclass(frozen=True)
class Scale:
    """Targets of one size; the rows of all lists add up to about ``rows``."""

    rows: int
    days: int
    tickets: int
    pos_orders: int
    models: int
    products: int
    users: int
    clock_share: float
    """Share of the days that staff remembered to clock in."""
    leads: int
    appointments: int
    expenses_a_month: int


SCALES: dict[Size, Scale] = {
    "tiny": Scale(1_000, 425, 55, 48, 10, 44, 5, 0.02, 14, 14, 2),
    "small": Scale(10_000, 913, 1_000, 980, 30, 180, 7, 0.10, 110, 150, 4),
    "medium": Scale(100_000, 1_461, 10_400, 10_800, 90, 700, 14, 0.35, 1_000, 1_600, 8),
    "large": Scale(1_000_000, 2_192, 109_000, 116_000, 240, 2_500, 45, 0.50, 9_000, 15_000, 20),
}

WORDS: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("words.toml").read_text(encoding="utf-8"), parse_float=Decimal
)
"""What the shop is made of; ``words.toml`` says what each list is."""
LAST_SECOND = 86_399
"""Second of the day of 23:59:59."""
OPENS, CLOSES = 9 * 3600, 18 * 3600 + 1800
"""Opening hours, as seconds of the day."""


def is_open(day: dt.date) -> bool:
    """Whether the shop does business on a day: not on Sundays, Christmas or New Year's Day."""
    return day.weekday() != 6 and (day.month, day.day) not in {(12, 25), (1, 1)}


def last_of_month(day: dt.date) -> dt.date:
    """The last day of the month a day lies in."""
    return day.replace(day=monthrange(day.year, day.month)[1])


def money(cents: int) -> Decimal:
    """Cents as the amount served, always with two places."""
    return Decimal(cents).scaleb(-2)


def share(cents: int, per_mille: int) -> int:
    """That many thousandths of an amount, rounded half up to the cent."""
    return (cents * per_mille + 500) // 1000


@dataclass(eq=False)
class Context:
    """One shop being generated.

    ``out`` collects records until :func:`sandbox.generator.generate` hands them on. Each part asks
    for dice of its own with :meth:`dice`, so a change in one part leaves the others as they were.
    """

    seed: int
    shop: str
    scale: Scale
    zone: ZoneInfo
    first: dt.date
    end_day: dt.date
    """The first day that has no data any more."""
    in_spanish: bool = False
    """Statuses of tickets are."""
    numbered: bool = False
    """Ids of brands, models and issue types are plain numbers."""
    out: list[tuple[str, Record]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.end = self.at(self.end_day, 0)
        zones = WORDS["countries"]
        where = zones.get(self.zone.key, zones["America/Guatemala"])
        self.country, self.currency, self.dial = where
        self._counters: defaultdict[str, Iterator[int]] = defaultdict(count)
        self._ids = self.dice("ids")

    def at(self, day: dt.date, second: int) -> int:
        """The moment of a wall-clock second of a day: the first one, where an autumn night repeats
        its hour; of an hour that a spring night leaves out what the clock shows then.
        """
        wall = dt.datetime.combine(day, dt.time(), self.zone) + dt.timedelta(seconds=second)
        return int(wall.timestamp())

    def local(self, moment: int) -> dt.datetime:
        """The moment on the shop's wall clock."""
        return dt.datetime.fromtimestamp(moment, self.zone)

    def day(self, moment: int) -> dt.date:
        """The shop's day a moment falls on."""
        return self.local(moment).date()

    def text(self, moment: int) -> str:
        """The moment as the service writes it."""
        text = self.local(moment).isoformat()
        return text[:-3] + text[-2:]

    def dice(self, area: str) -> random.Random:
        """Dice of one area, which fall alike for the same seed and shop."""
        return random.Random(f"{self.seed}/{self.shop}/{area}")  # noqa: S311 - no secret is drawn

    def emit(
        self, resource: str, created: int, updated: int | None = None, /, **fields: Any
    ) -> Record:
        """Hand on a record made and last changed at these moments; without an id it gets one."""
        kind = RESOURCES[resource]
        if "id" not in fields:
            fields["id"] = self.number(resource) if kind.ids == "number" else self.uid()
        made = self.text(created)
        changed = made if updated is None else self.text(updated)
        record = {**kind.fresh(), **fields, kind.date: made, "_updated": changed}
        if kind.shows_updated:
            record["last_updated"] = changed
        self.out.append((resource, record))
        return record

    def number(self, counter: str, start: int = 1) -> int:
        """The next number of a counter."""
        return start + next(self._counters[counter])

    def uid(self) -> str:
        """A new identifier in the form of a UUID."""
        h = f"{self._ids.getrandbits(128):032x}"
        return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"

    def open_moment(self, dice: random.Random, day: dt.date) -> int:
        """A moment within the opening hours of a day."""
        return self.at(day, int(dice.triangular(OPENS, CLOSES, 11.5 * 3600)))

    def later(self, dice: random.Random, moment: int, days: float) -> int:
        """A moment about that many days after another, in opening hours of a day the shop is open.

        One in sixty is moved to 23:59:59 of the last day of its month.
        """
        day = self.day(moment) + dt.timedelta(days=int(days))
        while not is_open(day):
            day += dt.timedelta(days=1)
        chosen = self.open_moment(dice, day)
        if days < 1:
            chosen = moment + int(60 + dice.random() * 5400)
        elif dice.random() < 1 / 60:
            chosen = self.at(last_of_month(day), LAST_SECOND)
        return max(chosen, moment + 1)


@dataclass(eq=False)
class Part:
    """A part of the shop, with dice of its own."""

    ctx: Context

    def __post_init__(self) -> None:
        self.dice = self.ctx.dice(type(self).__name__.lower())
