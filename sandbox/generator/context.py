"""What every part of the shop shares: its size, clock, dice and counters, its goods, and where
records go."""

import datetime as dt
import random
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any, Literal

from sandbox.generator.shop_time import LAST_SECOND, ShopClock, is_open, last_of_month
from sandbox.resources import RESOURCES, short

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
OPENS, CLOSES = 9 * 3600, 18 * 3600 + 1800
"""Opening hours, as seconds of the day."""


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
    clock: ShopClock
    first: dt.date
    end_day: dt.date
    """The first day that has no data any more."""
    out: list[tuple[str, Record]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.end = self.clock.at(self.end_day, 0)
        self.text = self.clock.text
        zones = WORDS["countries"]
        where = zones.get(self.clock.zone.key, zones["America/Guatemala"])
        self.country, self.currency, self.dial = where
        self._counters: defaultdict[str, Iterator[int]] = defaultdict(count)
        self._ids = self.dice("ids")

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
        return self.clock.at(day, int(dice.triangular(OPENS, CLOSES, 11.5 * 3600)))

    def later(self, dice: random.Random, moment: int, days: float) -> int:
        """A moment about that many days after another, in opening hours of a day the shop is open.

        One in sixty is moved to 23:59:59 of the last day of its month.
        """
        day = self.clock.day(moment) + dt.timedelta(days=int(days))
        while not is_open(day):
            day += dt.timedelta(days=1)
        chosen = self.open_moment(dice, day)
        if days < 1:
            chosen = moment + int(60 + dice.random() * 5400)
        elif dice.random() < 1 / 60:
            chosen = self.clock.at(last_of_month(day), LAST_SECOND)
        return max(chosen, moment + 1)


@dataclass(slots=True, eq=False)
class Item:
    """A product as the shop's other parts see it. Prices in cents, without tax."""

    record: Record
    cost: int
    price: int
    tax_per_mille: int
    supplier: int
    created: int
    last_moved: int
    on_hand: int = 0
    on_order: int = 0
    reorder_at: int = 0

    @property
    def serialised(self) -> bool:
        """Whether each piece has a number of its own."""
        return bool(self.record["serialised_stock"])

    @property
    def reference(self) -> Record:
        """What stands for it elsewhere."""
        return short(self.record, "products")

    def move(self, by: int, moment: int) -> None:
        """Change what is on hand; of a service there is nothing."""
        if self.record["inventory_control"]:
            self.on_hand += by
            self.last_moved = max(self.last_moved, moment)


@dataclass(frozen=True, slots=True)
class Device:
    """A model customers bring, and the parts it takes by category."""

    model: Record
    brand: Record
    year: int
    parts: dict[str, Item]

    @property
    def name(self) -> str:
        """Brand and model, as people say it."""
        return f"{self.brand['name']} {self.model['name']}"


def line_of(ctx: Context, item: Item, quantity: int, price: int, **cents: int) -> Record:
    """A document's line of an item, at that price."""
    return {
        "id": ctx.number("line"),
        "product_code": item.record["code"],
        "item_description": item.record["name"],
        "quantity": quantity,
        "unit_price": money(price),
        **{name: money(amount) for name, amount in cents.items()},
    }
