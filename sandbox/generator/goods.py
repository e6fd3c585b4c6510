"""What the shop sells and repairs, as its parts refer to it."""

from dataclasses import dataclass, field

from sandbox.generator.context import Context, Record, money


@dataclass(slots=True)
class Item:
    """A product as the shop's other parts see it. Prices in cents, without tax."""

    uid: str
    code: str
    name: str
    cost: int
    price: int
    tax_per_mille: int
    stocked: bool
    serialised: bool
    supplier: int
    record: Record = field(repr=False)
    on_hand: int = 0
    on_order: int = 0
    reorder_at: int = 0
    created: int = 0
    last_moved: int = 0

    @property
    def reference(self) -> Record:
        """What stands for it elsewhere."""
        return {"id": self.uid, "name": self.name, "code": self.code}


@dataclass(frozen=True, slots=True)
class Device:
    """A model customers bring, and the parts it takes by category."""

    uid: str
    name: str
    brand: str
    year: int
    parts: dict[str, Item]


def line_of(ctx: Context, item: Item, quantity: int, price: int, **cents: int) -> Record:
    """A document's line of an item, at that price."""
    return {
        "id": ctx.number("line"),
        "product_code": item.code,
        "item_description": item.name,
        "quantity": quantity,
        "unit_price": money(price),
        **{name: money(amount) for name, amount in cents.items()},
    }
