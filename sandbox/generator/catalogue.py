"""What the shop is set up with: staff, taxes, statuses, devices, goods, suppliers.

All of it is made on the shop's first day; tickets and sales only refer to it. Money is in cents
until it is served.
"""

import datetime as dt
from collections import defaultdict
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

from sandbox.generator.context import WORDS, Context, Part, Record, money, share
from sandbox.generator.people import People
from sandbox.resources import short

PHOTO = "https://files.example.com/"
"""Where pictures would be; a reserved name that never answers."""
_PRESET = ("id", "product_code", "item_description", "quantity", "unit_price")
"""What a preset says of a line."""
_LABOUR = "Labour"
"""The category of services."""


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


def line_of(
    ctx: Context, item: Item, quantity: int, price: int, discount: int = 0
) -> tuple[Record, int]:
    """A document's line of an item at that price, and its total, tax included."""
    net = price * quantity - discount
    tax = share(net, item.tax_per_mille)
    line = {
        "id": ctx.number("line"),
        "product_code": item.record["code"],
        "item_description": item.record["name"],
        "quantity": quantity,
        "unit_price": money(price),
        "discount": money(discount),
        "tax": money(tax),
        "total": money(net + tax),
    }
    return line, net + tax


class Catalogue(Part):
    """Emits the shop's settings and keeps what the other parts refer to."""

    def __init__(self, ctx: Context, people: People) -> None:
        super().__init__(ctx)
        self._people = people
        self._start = ctx.at(ctx.first, 7 * 3600)
        self.made: defaultdict[str, list[Record]] = defaultdict(list)
        """List -> its records, of what the shop is set up with."""
        self.items: list[Item] = []
        self.services: list[Item] = []
        self.shelf: list[Item] = []
        self.devices: list[Device] = []
        self._staff()
        self._settings("tax_rates", "payment_methods", "statuses", "issue_types")
        self._settings("expense_categories", "warranties")
        names = [row["label"] for row in WORDS["settings"]["statuses"]]
        self.statuses = dict(zip(names, self.made["statuses"], strict=True))
        self._purchasing()
        self._settings("model_groups")
        self._devices_and_goods()
        self._settings("preset_categories")
        self._presets()
        self._settings("custom_fields")

    def _emit(self, resource: str, **fields: Any) -> Record:
        created = self._start + self.ctx.number("setup") * 7
        record = self.ctx.emit(resource, created, **fields)
        self.made[resource].append(record)
        return record

    def _settings(self, *resources: str) -> None:
        """Emit the records that every shop has."""
        for resource in resources:
            for row in WORDS["settings"][resource]:
                fields = {**(self._pictured("issue") if resource == "issue_types" else {}), **row}
                if resource == "statuses" and self.ctx.in_spanish:
                    fields["label"] = WORDS["spanish_statuses"].get(row["label"], row["label"])
                self._emit(resource, **fields)

    def _pictured(self, kind: str, field: str = "photourls") -> Record:
        """An id, and where a picture of what bears it would be."""
        uid = self.ctx.uid()
        end = "png" if field == "logourls" else "jpg"
        is_number = self.ctx.numbered and kind != "product"
        known_as = self.ctx.number("numbered", 101) if is_number else uid
        return {"id": known_as, field: {"large": f"{PHOTO}{kind}/{uid}.{end}"}}

    def _staff(self) -> None:
        last = self.ctx.scale.users - 1
        for index in range(last + 1):
            self._emit(
                "users",
                **self._people.person(),
                gender="Female" if self.dice.random() < 0.5 else "Male",
                type="Admin" if index == 0 else "Sales" if index % 3 == 1 else "Technician",
                status="In active" if index == last else "Active",
            )

    def _purchasing(self) -> None:
        dice = self.dice
        for number in range(1, 4 + self.ctx.scale.products // 150):
            person = self._people.person()
            city, code = dice.choice(WORDS["cities"])
            self._emit(
                "suppliers",
                company=f"{self._people.company()} {number}",
                contact_name=person["name"],
                mobile=person["mobile"],
                phone=person["mobile"],
                email=f"orders{number}@supplier.example.net",
                address=person["address"],
                town=city,
                postcode=code,
                country_code=dice.choice(("GT", "US", "CN", "DE")),
                status="Active" if number > 1 else "In active",
            )
        goods = (*WORDS["repair_goods"], *WORDS["shelf_goods"])
        for name in (*goods, _LABOUR, "Repair parts", "Shop floor"):
            margin = money(dice.randrange(1500, 6500, 50))
            self._emit("categories", name=name, profit_margin=margin)
        self._categories = {
            one["name"]: short(one, "categories") for one in self.made["categories"]
        }

    def _devices_and_goods(self) -> None:
        ctx, dice = self.ctx, self.dice
        groups = [short(one, "model_groups") for one in self.made["model_groups"]]
        for name in WORDS["brands"][: 4 + ctx.scale.models // 12]:
            self._emit("brands", name=name, **self._pictured("brand", "logourls"))
        self.services = [self._item(name, _LABOUR, 0, price) for name, price in WORDS["services"]]
        brands = [short(one, "brands") for one in self.made["brands"]]
        wanted = ctx.scale.products - len(self.services)
        repair_share = 0.62
        per_device = max(1, round(wanted * repair_share / ctx.scale.models))
        stems, categories = WORDS["model_stems"], list(WORDS["repair_goods"])
        for index in range(ctx.scale.models):
            generation, place = divmod(index, len(brands))
            brand = brands[place]
            name = f"{stems[generation % len(stems)]} {1 + generation}"
            looks = self._pictured("model")
            self._emit(
                "models",
                model=name,
                make=brand["name"],
                brand=brand,
                model_group=groups[0] if dice.random() < 0.6 else dice.choice(groups),
                status="In active" if dice.random() < 0.05 else "Active",
                **looks,
            )
            year = ctx.first.year - 5 + (index * 7) % 9
            device = Device({"id": looks["id"], "name": name}, brand, year, {})
            for category in islice(cycle(categories), per_device):
                item = self._good(category, "repair_goods", brand, device.model)
                device.parts.setdefault(category, item)
            self.devices.append(device)
        shelves = cycle(WORDS["shelf_goods"])
        while len(self.items) < wanted:
            item = self._good(next(shelves), "shelf_goods", dice.choice(brands), None)
            self.shelf.append(item)

    def _good(self, category: str, kind: str, brand: Record, model: Record | None) -> Item:
        dice = self.dice
        title, low, high = dice.choice(WORDS[kind][category])
        cost = int(dice.triangular(low, high, low))
        price = round(cost * (1.35 + dice.random() * 1.2) / 25 + 1) * 25 - dice.choice((0, 0, 1, 5))
        label = f"{title} {brand['name']}" + (f" {model['name']}" if model else "")
        item = self._item(label, category, cost, price, brand, model)
        self.items.append(item)
        return item

    def _item(self, name: str, category: str, cost: int, price: int, *of: Record | None) -> Item:
        """A product of a brand and perhaps a model, or a service, which has neither."""
        ctx, dice = self.ctx, self.dice
        brand, model = of or (None, None)
        service = brand is None
        code = f"SVC-{ctx.number('service'):03d}" if service else ""
        if brand is not None:
            code = f"{category[:3]}-{brand['name'][:3]}-{ctx.number('product'):05d}".upper()
        taxes = self.made["tax_rates"]
        tax = taxes[0] if dice.random() < 0.93 else dice.choice(taxes[1:])
        per_mille = int(tax["value"] * 10)
        vat = share(price, per_mille)
        used = category == "Refurbished"
        supplier = dice.randrange(len(self.made["suppliers"]))
        record: Record = {
            "warranty": short(dice.choice(self.made["warranties"]), "warranties"),
            **self._pictured("product"),
            "type": "service" if service else "product",
            "name": name,
            "code": code,
            "condition": "Used" if used else "New",
            "status": "In active" if dice.random() < 0.04 else "Active",
            "physical_location": "" if service else f"{dice.choice('ABCDEF')}{dice.randint(1, 24)}",
            "brand": brand,
            "model": model,
            "category": self._categories[category],
            "supplier": None if service else short(self.made["suppliers"][supplier], "suppliers"),
            "supplier_code": "" if service else f"S{dice.randrange(10**6):06d}",
            "prices": {
                "retail_price": money(price),
                "retail_price_inc_vat": money(price + vat),
                "cost_price": money(cost),
                "cost_price_inc_vat": money(cost + share(cost, per_mille)),
                "vat": money(vat),
            },
            "tax": tax["id"],
            "alert_quantity": 0 if service else 2,
            "reorder_quantity": 0 if service else 5,
            "inventory_control": not service,
            "serialised_stock": used or (category == "Boards" and cost > 9000),
        }
        created = self._start + len(self.items) * 7
        if not service and dice.random() < 0.3:  # came into the range later than the opening
            day = ctx.first + dt.timedelta(days=dice.randrange(1, ctx.scale.days))
            created = ctx.at(day, 7 * 3600 + dice.randrange(3600))
        return Item(record, cost, price, per_mille, supplier, created, last_moved=created)

    def emit_products(self) -> None:
        """Emit every product with the stock it has at the end. Called last."""
        ctx, dice = self.ctx, self.dice
        everything = [*self.services, *self.items]
        for index, item in enumerate(everything):
            own = {"Quality grade": dice.choice(("A", "B", "C"))} if index % 4 == 0 else {}
            first, second = (one.reference for one in dice.sample(everything, 2))
            item.record |= {
                "stock": item.on_hand,
                "custom_fields": own,
                "xsell_upsell": {
                    "cross_sell": [first],
                    "upsell": [second] if index % 3 == 0 else [],
                },
            }
            ctx.emit("products", item.created, item.last_moved, **item.record)

    def _presets(self) -> None:
        ctx, dice = self.ctx, self.dice
        groups = [short(one, "preset_categories") for one in self.made["preset_categories"]]
        for device in self.devices[: max(4, len(self.devices) // 3)]:
            issue = dice.choice(self.made["issue_types"])
            item = device.parts.get(issue["_part"]) or self.services[0]
            line, _ = line_of(ctx, item, 1, item.price)
            self._emit(
                "presets",
                name=f"{issue['label']} {device.name}",
                category=dice.choice(groups),
                brand=device.brand,
                model=device.model,
                issue_type=short(issue, "issue_types"),
                legal_document_id=str(1 + dice.randrange(3)),
                lines=[{name: line[name] for name in _PRESET}],
            )
