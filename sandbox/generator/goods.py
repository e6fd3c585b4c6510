"""The shop's goods, and what devices take of them; money in cents until it is served."""

from dataclasses import dataclass
from decimal import Decimal

from sandbox.generator.context import Context, Record
from sandbox.resources import short


def money(cents: int) -> Decimal:
    """Cents as the amount served, always with two places."""
    return Decimal(cents).scaleb(-2)


def share(cents: int, per_mille: int) -> int:
    """That many thousandths of an amount, rounded half up to the cent."""
    return (cents * per_mille + 500) // 1000


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
