"""The stock room: opening stock, purchase orders, deliveries, adjustments, counts.

What is on hand of a product is what came in (stock records) plus and minus adjustments, minus what
was sold, plus what was returned; the counts of the last day say exactly that.
"""

import datetime as dt
from collections import defaultdict
from heapq import heappop, heappush

from sandbox.generator.catalogue import Catalogue
from sandbox.generator.context import Context, Item, Record, line_of, money, share
from sandbox.generator.shop_time import LAST_SECOND, last_of_month
from sandbox.resources import short

LINES_A_COUNT = 40
"""Products counted in one stock count."""


class Stockroom:
    """Buys what runs out and keeps the shelves' books."""

    def __init__(self, ctx: Context, catalogue: Catalogue) -> None:
        self._ctx = ctx
        self._dice = ctx.dice("stockroom")
        self._catalogue = catalogue
        self._deliveries: list[tuple[int, int, list[tuple[Item, int]]]] = []
        self._arrivals: defaultdict[dt.date, list[Item]] = defaultdict(list)
        for item in catalogue.items:
            self._arrivals[ctx.clock.day(item.created)].append(item)
        scale = ctx.scale
        self._demand = {
            True: (scale.pos_orders * 1.7 + scale.tickets * 0.2) / max(len(catalogue.shelf), 1),
            False: scale.tickets * 0.8 / max(len(catalogue.items) - len(catalogue.shelf), 1),
        }

    def arrivals(self, day: dt.date) -> None:
        """Emit the first stock of what comes into the range on a day."""
        dice = self._dice
        for item in self._arrivals.pop(day, []):
            if item.serialised:
                quantity = dice.randint(1, 2)
            else:
                fortnight = self._demand[item.record["model"] is None] * 14 / self._ctx.scale.days
                item.reorder_at = 1 + round(fortnight)
                quantity = item.reorder_at * 3 + dice.randint(1, 4)
            self._receive(item, quantity, item.created + 3600)

    def _receive(self, item: Item, quantity: int, moment: int) -> None:
        ctx, dice = self._ctx, self._dice
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

    def deliveries(self, day: dt.date) -> None:
        """Emit what is delivered on a day."""
        until = self._ctx.clock.at(day, LAST_SECOND)
        while self._deliveries and self._deliveries[0][0] <= until:
            moment, _, content = heappop(self._deliveries)
            for item, quantity in content:
                item.on_order -= quantity
                self._receive(item, quantity, moment)

    def order(self, day: dt.date) -> None:
        """Emit purchase orders for what ran low, one a supplier, twelve lines at most."""
        low: dict[int, list[Item]] = {}
        today = self._ctx.clock.at(day, LAST_SECOND)
        for item in self._catalogue.items:
            if item.created > today:
                continue
            if item.on_hand + item.on_order <= item.reorder_at:
                low.setdefault(item.supplier, []).append(item)
        for supplier in sorted(low):
            items = low[supplier]
            for start in range(0, len(items), 12):
                self._purchase(day, supplier, items[start : start + 12])

    def _purchase(self, day: dt.date, supplier: int, items: list[Item]) -> None:
        ctx, dice = self._ctx, self._dice
        created = ctx.open_moment(dice, day)
        lines, cost, content = [], 0, []
        for item in items:
            quantity = 1 if item.serialised else item.reorder_at * 3 + dice.randint(1, 4)
            net = item.cost * quantity
            tax = share(net, item.tax_per_mille)
            lines.append(
                line_of(ctx, item, quantity, item.cost, discount=0, tax=tax, total=net + tax)
            )
            cost += net + tax
            content.append((item, quantity))
            item.on_order += quantity
        received = self._delivery_moment(created)
        status, arrives = "Received", received < ctx.end
        if dice.random() < 0.015:  # forgotten: part of it never came
            status, arrives = "Partially Delivered", False
            half = content[: len(content) // 2]
            if half:
                heappush(self._deliveries, (received, ctx.number("delivery"), half))
        elif arrives:
            heappush(self._deliveries, (received, ctx.number("delivery"), content))
        else:
            status = dice.choice(("Pending", "Ordered", "Waiting Confirmation"))
        ctx.emit(
            "purchase_orders",
            created,
            received if arrives else created,
            number=f"PO-{ctx.number('purchase', 3001)}",
            status=status,
            supplier=items[0].record["supplier"],
            received_date=ctx.text(received) if arrives else None,
            expected_date=ctx.text(created + 7 * 86_400),
            cost=money(cost),
            shipping_cost=money(dice.choice((0, 0, 450, 900, 1250, 1999))),
            lines=lines,
        )

    def _delivery_moment(self, created: int) -> int:
        ctx, dice = self._ctx, self._dice
        moment = ctx.later(dice, created, 2 + dice.expovariate(1 / 4))
        if dice.random() < 0.08:
            moment = ctx.clock.at(last_of_month(ctx.clock.day(moment)), LAST_SECOND)
        return moment

    def count(self, moment: int, items: list[Item], *, adjust: bool) -> None:
        """Emit a count of some products; with ``adjust`` small differences are found and booked."""
        ctx, dice = self._ctx, self._dice
        counted, differences = [], []
        for item in items:
            missing = 1 if adjust and item.on_hand > 1 and dice.random() < 0.06 else 0
            expected = item.on_hand
            if missing:
                differences.append((item, -1))
            counted.append(
                {
                    "product_id": item.record["id"],
                    "product_code": item.record["code"],
                    "product_name": item.record["name"],
                    "expected": expected,
                    "counted": expected - missing,
                    "difference": -missing,
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
        if differences:
            self._adjust(moment + 60, differences, f"COUNT-{number:04d}")

    def mishap(self, moment: int) -> None:
        """Emit an adjustment: something broke, was used in the shop or turned up again."""
        dice = self._dice
        item = dice.choice(self._catalogue.items)
        if item.serialised or item.created > moment:
            return
        self._adjust(moment, [(item, -1 if item.on_hand and dice.random() < 0.8 else 1)], "")

    def _adjust(self, moment: int, changes: list[tuple[Item, int]], reference: str) -> None:
        ctx, dice = self._ctx, self._dice
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
            moment = self._ctx.end - 3600 + start // LINES_A_COUNT
            self.count(moment, items[start : start + LINES_A_COUNT], adjust=False)
