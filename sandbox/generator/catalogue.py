"""What the shop is set up with: staff, taxes, statuses, devices, goods, suppliers.

Everything here is made on the shop's first day; tickets and sales only refer to it.
"""

import datetime as dt
from collections import defaultdict
from typing import Any

from sandbox.generator.context import WORDS, Context, Device, Item, Record, line_of, money, share
from sandbox.generator.people import Contacts
from sandbox.resources import short

PHOTO = "https://files.example.com/"
"""Where pictures would be; a reserved name that never answers."""
_LABOUR = "Labour"
"""The category of services."""


class Catalogue:
    """Emits the shop's settings and keeps what the other parts refer to."""

    def __init__(self, ctx: Context, contacts: Contacts) -> None:
        self._ctx = ctx
        self._dice = ctx.dice("catalogue")
        self._contacts = contacts
        self._start = ctx.clock.at(ctx.first, 7 * 3600)
        self.made: defaultdict[str, list[Record]] = defaultdict(list)
        """List -> its records, of what the shop is set up with."""
        self.items: list[Item] = []
        self.services: list[Item] = []
        self.shelf: list[Item] = []
        self.devices: list[Device] = []
        self._staff()
        self._settings("tax_rates", "payment_methods", "statuses", "issue_types")
        self._settings("expense_categories", "warranties")
        self.statuses = {one["label"]: one for one in self.made["statuses"]}
        self._purchasing()
        self._settings("model_groups")
        self._devices_and_goods()
        self._settings("preset_categories")
        self._presets()
        self._settings("custom_fields")

    def _emit(self, resource: str, **fields: Any) -> Record:
        created = self._start + self._ctx.number("setup") * 7
        record = self._ctx.emit(resource, created, **fields)
        self.made[resource].append(record)
        return record

    def _settings(self, *resources: str) -> None:
        """Emit the records that every shop has."""
        for resource in resources:
            for row in WORDS["settings"][resource]:
                is_shown = resource == "issue_types"
                self._emit(resource, **(self._pictured("issue") if is_shown else {}), **row)

    def _pictured(self, kind: str, field: str = "photourls") -> Record:
        """An id, and where a picture of what bears it would be."""
        uid = self._ctx.uid()
        end = "png" if field == "logourls" else "jpg"
        return {"id": uid, field: {"large": f"{PHOTO}{kind}/{uid}.{end}"}}

    def _staff(self) -> None:
        ctx, dice = self._ctx, self._dice
        for index in range(ctx.scale.users):
            person = self._contacts.person()
            left = index == ctx.scale.users - 1
            kind = "Admin" if index == 0 else "Sales" if index % 3 == 1 else "Technician"
            self._emit(
                "users",
                **person,
                gender="Female" if dice.random() < 0.5 else "Male",
                type=kind,
                status="In active" if left else "Active",
            )

    def _purchasing(self) -> None:
        ctx, dice = self._ctx, self._dice
        for number in range(1, 4 + ctx.scale.products // 150):
            person = self._contacts.person()
            city, code = dice.choice(WORDS["cities"])
            self._emit(
                "suppliers",
                company=f"{self._contacts.company()} {number}",
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
        ctx, dice = self._ctx, self._dice
        groups = [short(one, "model_groups") for one in self.made["model_groups"]]
        for name in WORDS["brands"][: 4 + ctx.scale.models // 12]:
            self._emit("brands", name=name, **self._pictured("brand", "logourls"))
        self.services = [
            self._item(name, _LABOUR, None, None, 0, p) for name, p in WORDS["services"]
        ]
        brands = [short(one, "brands") for one in self.made["brands"]]
        wanted = ctx.scale.products - len(self.services)
        repair_share = 0.62
        per_device = max(1, round(wanted * repair_share / ctx.scale.models))
        stems, categories = WORDS["model_stems"], list(WORDS["repair_goods"])
        for index in range(ctx.scale.models):
            generation, place = divmod(index, len(brands))
            brand = brands[place]
            year = ctx.first.year - 5 + (index * 7) % 9
            name = f"{stems[generation % len(stems)]} {1 + generation}"
            looks = self._pictured("model")
            group = groups[0] if dice.random() < 0.6 else dice.choice(groups)
            self._emit(
                "models",
                model=name,
                make=brand["name"],
                brand=brand,
                model_group=group,
                status="In active" if dice.random() < 0.05 else "Active",
                **looks,
            )
            model = {"id": looks["id"], "name": name}
            parts: dict[str, Item] = {}
            for offset in range(per_device):
                category = categories[offset % len(categories)]
                item = self._good(category, WORDS["repair_goods"][category], brand, model)
                parts.setdefault(category, item)
            self.devices.append(Device(model, brand, year, parts))
        shelves = list(WORDS["shelf_goods"].items())
        while len(self.items) < wanted:
            category, goods = shelves[len(self.shelf) % len(shelves)]
            self.shelf.append(self._good(category, goods, dice.choice(brands), None))

    def _good(self, category: str, goods: list[Any], brand: Record, model: Record | None) -> Item:
        dice = self._dice
        title, low, high = dice.choice(goods)
        cost = int(dice.triangular(low, high, low))
        price = round(cost * (1.35 + dice.random() * 1.2) / 25 + 1) * 25 - dice.choice((0, 0, 1, 5))
        label = f"{title} {brand['name']}" + (f" {model['name']}" if model else "")
        item = self._item(label, category, brand, model, cost, price)
        self.items.append(item)
        return item

    def _item(
        self,
        name: str,
        category: str,
        brand: Record | None,
        model: Record | None,
        cost: int,
        price: int,
    ) -> Item:
        ctx, dice = self._ctx, self._dice
        service = brand is None
        code = (
            f"SVC-{ctx.number('service'):03d}"
            if brand is None
            else (f"{category[:3]}-{brand['name'][:3]}-{ctx.number('product'):05d}".upper())
        )
        taxes = self.made["tax_rates"]
        tax = taxes[0] if dice.random() < 0.93 else dice.choice(taxes[1:])
        per_mille = int(tax["value"] * 10)
        used = category == "Refurbished"
        supplier = dice.randrange(len(self.made["suppliers"]))
        warranty = dice.choice(self.made["warranties"])
        record: Record = {
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
                "retail_price_inc_vat": money(price + share(price, per_mille)),
                "cost_price": money(cost),
                "cost_price_inc_vat": money(cost + share(cost, per_mille)),
                "vat": money(share(price, per_mille)),
            },
            "tax": tax["id"],
            "warranty": short(warranty, "warranties"),
            "alert_quantity": 0 if service else 2,
            "reorder_quantity": 0 if service else 5,
            "inventory_control": not service,
            "serialised_stock": used or (category == "Boards" and cost > 9000),
        }
        created = self._start + len(self.items) * 7
        if not service and dice.random() < 0.3:  # came into the range later than the opening
            day = ctx.first + dt.timedelta(days=dice.randrange(1, ctx.scale.days))
            created = ctx.clock.at(day, 7 * 3600 + dice.randrange(3600))
        return Item(record, cost, price, per_mille, supplier, created, last_moved=created)

    def emit_products(self) -> None:
        """Emit every product with the stock it has at the end. Called last."""
        ctx, dice = self._ctx, self._dice
        everything = [*self.services, *self.items]
        for index, item in enumerate(everything):
            own = {"Quality grade": dice.choice(("A", "B", "C"))} if index % 4 == 0 else {}
            first, second = (one.reference for one in dice.sample(everything, 2))
            upsell = [second] if index % 3 == 0 else []
            changes: Record = {
                "stock": item.on_hand,
                "custom_fields": own,
                "xsell_upsell": {"cross_sell": [first], "upsell": upsell},
            }
            ctx.emit("products", item.created, item.last_moved, **(item.record | changes))

    def _presets(self) -> None:
        ctx, dice = self._ctx, self._dice
        groups = [short(one, "preset_categories") for one in self.made["preset_categories"]]
        for device in self.devices[: max(4, len(self.devices) // 3)]:
            issue = dice.choice(self.made["issue_types"])
            item = device.parts.get(issue["_part"]) or self.services[0]
            self._emit(
                "presets",
                name=f"{issue['label']} {device.name}",
                category=dice.choice(groups),
                brand=device.brand,
                model=device.model,
                issue_type=short(issue, "issue_types"),
                legal_document_id=str(1 + dice.randrange(3)),
                lines=[line_of(ctx, item, 1, item.price)],
            )
