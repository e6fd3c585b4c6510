"""The stock room: opening stock, purchase orders, deliveries, adjustments, counts.

What is on hand of a product is what came in (stock records) plus and minus adjustments, minus what
was sold, plus what was returned; the counts of the last day say exactly that.
"""

import datetime as dt
from collections import defaultdict

from sandbox.generator.catalogue import Catalogue, Item, line_of
from sandbox.generator.context import LAST_SECOND, Context, Part, Record, last_of_month, money
from sandbox.resources import short

_Delivery = tuple[int, list[tuple[Item, int]]]
LINES_A_COUNT = 40
"""Products counted in one stock count."""


class Stockroom(Part):
    """Buys what runs out and keeps the shelves' books."""

    def __init__(self, ctx: Context, catalogue: Catalogue) -> None:
        super().__init__(ctx)
        self._catalogue = catalogue
        self._deliveries: defaultdict[dt.date, list[_Delivery]] = defaultdict(list)
        self._arrivals: defaultdict[dt.date, list[Item]] = defaultdict(list)
        for item in catalogue.items:
            self._arrivals[ctx.day(item.created)].append(item)
        scale = ctx.scale
        self._demand = {
            True: (scale.pos_orders * 1.7 + scale.tickets * 0.2) / max(len(catalogue.shelf), 1),
            False: scale.tickets * 0.8 / max(len(catalogue.items) - len(catalogue.shelf), 1),
        }

    def open(self, day: dt.date) -> None:
        """Emit the first stock of what comes into the range on a day, and what is delivered."""
        for item in self._arrivals.pop(day, []):
            quantity = self.dice.randint(1, 2) if item.serialised else 0
            if not item.serialised:
                fortnight = self._demand[item.record["model"] is None] * 14 / self.ctx.scale.days
                item.reorder_at = 1 + round(fortnight)
                quantity = self._usual(item)
            self._receive(item, quantity, item.created + 3600)
        for moment, content in sorted(self._deliveries.pop(day, []), key=lambda one: one[0]):
            for item, quantity in content:
                item.on_order -= quantity
                self._receive(item, quantity, moment)

    def _usual(self, item: Item) -> int:
        return item.reorder_at * 3 + self.dice.randint(1, 4)

    def _receive(self, item: Item, quantity: int, moment: int) -> None:
        ctx, dice = self.ctx, self.dice
        item.move(quantity, moment)
        stock = ctx.emit(
            "stock",
            moment,
            product=item.reference,
            quantity=quantity,
            cog_per_item=money(item.cost * dice.randint(95, 105) // 100),
            serialize_stock=item.serialised,
            internal_use=dice.random() < 0.01,
            breakage=dice.random() < 0.01,
            location=item.record["physical_location"],
        )
        for _ in range(quantity if item.serialised else 0):
            ctx.emit(
                "serials",
                moment,
                serial=f"{dice.randrange(10**14, 10**15)}",
                product=item.reference,
                stock_id=stock["id"],
                status="In stock",
                term_in_days=dice.choice((0, 90, 365)),
            )

    def order(self, day: dt.date) -> None:
        """Emit purchase orders for what ran low, one a supplier, twelve lines at most."""
        low: defaultdict[int, list[Item]] = defaultdict(list)
        today = self.ctx.at(day, LAST_SECOND)
        for item in self._catalogue.items:
            if item.created <= today and item.on_hand + item.on_order <= item.reorder_at:
                low[item.supplier].append(item)
        for _, items in sorted(low.items()):
            for start in range(0, len(items), 12):
                self._purchase(day, items[start : start + 12])

    def _purchase(self, day: dt.date, items: list[Item]) -> None:
        ctx, dice = self.ctx, self.dice
        created = ctx.open_moment(dice, day)
        lines: list[Record] = []
        content: list[tuple[Item, int]] = []
        for item in items:
            quantity = 1 if item.serialised else self._usual(item)
            lines.append(line_of(ctx, item, quantity, item.cost)[0])
            content.append((item, quantity))
            item.on_order += quantity
        received = ctx.later(dice, created, 2 + dice.expovariate(1 / 4))
        if dice.random() < 0.08:
            received = ctx.at(last_of_month(ctx.day(received)), LAST_SECOND)
        status, arrives = "Received", received < ctx.end
        if dice.random() < 0.015:  # forgotten: part of it never came
            status, arrives, content = "Partially Delivered", False, content[: len(content) // 2]
        elif not arrives:
            status = dice.choice(("Pending", "Ordered", "Waiting Confirmation"))
        self._deliveries[ctx.day(received)].append((received, content))
        ctx.emit(
            "purchase_orders",
            created,
            received if arrives else created,
            number=f"PO-{ctx.number('purchase', 3001)}",
            status=status,
            supplier=items[0].record["supplier"],
            received_date=ctx.text(received) if arrives else None,
            expected_date=ctx.text(created + 7 * 86_400),
            cost=sum((line["total"] for line in lines), money(0)),
            shipping_cost=money(dice.choice((0, 0, 450, 900, 1250, 1999))),
            lines=lines,
        )

    def count(self, moment: int, items: list[Item], *, adjust: bool) -> None:
        """Emit a count of some products; with ``adjust`` small differences are found and booked."""
        ctx, dice = self.ctx, self.dice
        counted: list[Record] = []
        missing: list[tuple[Item, int]] = []
        for item in items:
            lost = int(adjust and item.on_hand > 1 and dice.random() < 0.06)
            missing += [(item, -1)] * lost
            counted.append(
                {
                    **{f"product_{name}": item.record[name] for name in ("id", "code", "name")},
                    "expected": item.on_hand,
                    "counted": item.on_hand - lost,
                    "difference": -lost,
                }
            )
        number = ctx.number("count")
        ctx.emit(
            "stock_count",
            moment,
            id=number,
            reference=f"COUNT-{number:04d}",
            user=short(self._catalogue.made["users"][0], "users"),
            products=counted,
        )
        if missing:
            self._adjust(moment + 60, missing, f"COUNT-{number:04d}")

    def mishap(self, moment: int) -> None:
        """Emit an adjustment: something broke, was used in the shop or turned up again."""
        dice = self.dice
        item = dice.choice(self._catalogue.items)
        if item.serialised or item.created > moment:
            return
        self._adjust(moment, [(item, -1 if item.on_hand and dice.random() < 0.8 else 1)], "")

    def _adjust(self, moment: int, changes: list[tuple[Item, int]], reference: str) -> None:
        ctx, dice = self.ctx, self.dice
        products: list[Record] = []
        for item, change in changes:
            item.move(change, moment)
            reason = dice.random()
            products.append(
                {
                    "stock_id": ctx.uid(),
                    "product_id": item.record["id"],
                    "quantity": abs(change),
                    "type": "Addition" if change > 0 else "Subtraction",
                    "internal_use": change < 0 and reason < 0.3,
                    "breakage": change < 0 and reason > 0.6,
                }
            )
        ctx.emit(
            "adjustments",
            moment,
            reference_no=reference or f"ADJ-{ctx.number('adjustment'):05d}",
            notes="After the count" if reference else "",
            adjustment_date=ctx.text(moment),
            products=products,
        )

    def close(self) -> None:
        """Emit the count of every product on the last evening."""
        items = self._catalogue.items
        for start in range(0, len(items), LINES_A_COUNT):
            moment = self.ctx.end - 3600 + start // LINES_A_COUNT
            self.count(moment, items[start : start + LINES_A_COUNT], adjust=False)
