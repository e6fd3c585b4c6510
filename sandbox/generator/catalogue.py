"""What the shop is set up with: staff, taxes, statuses, devices, goods, suppliers.

Everything here is made on the shop's first day; tickets and sales only refer to it.
"""

import datetime as dt
from typing import Any

from sandbox.generator import words
from sandbox.generator.context import Context, Device, Item, Record, line_of, money, named, share
from sandbox.generator.people import Contacts

PHOTO = "https://files.example.com/"
"""Where pictures would be; a reserved name that never answers."""


class Catalogue:
    """Emits the shop's settings and keeps what the other parts refer to."""

    def __init__(self, ctx: Context, contacts: Contacts) -> None:
        self._ctx = ctx
        self._dice = ctx.dice("catalogue")
        self._contacts = contacts
        self._start = ctx.clock.at(ctx.first, 7 * 3600)
        self.items: list[Item] = []
        self.services: list[Item] = []
        self.shelf: list[Item] = []
        self.devices: list[Device] = []
        self.suppliers: list[Record] = []
        self.users: list[Record] = []
        self.methods: list[str] = []
        self.statuses: dict[str, Record] = {}
        self.note_statuses: dict[str, Record] = {}
        self.pipeline: dict[str, bool] = {}
        self.issues: list[tuple[Record, str | None, str]] = []
        self.expense_categories: list[tuple[Record, int, int]] = []
        self.custom_fields: dict[str, list[str]] = {}
        self._categories: dict[str, int] = {}
        self._taxes: list[tuple[int, int]] = []
        self._warranties: list[Record] = []
        self._staff()
        self._labels()
        self._purchasing()
        self._devices_and_goods()
        self._presets()
        self._custom_fields()

    def _emit(self, resource: str, **fields: Any) -> Record:
        created = self._start + self._ctx.number("setup") * 7
        return self._ctx.emit(resource, created, **fields)

    def _staff(self) -> None:
        ctx, dice = self._ctx, self._dice
        for index in range(ctx.scale.users):
            person = self._contacts.person()
            left = index == ctx.scale.users - 1
            kind = "Admin" if index == 0 else "Sales" if index % 3 == 1 else "Technician"
            user = self._emit(
                "users",
                first_name=person.given,
                last_name=person.family,
                name=person.name,
                email=person.email,
                mobile=person.mobile,
                address=person.address,
                gender="Female" if dice.random() < 0.5 else "Male",
                type=kind,
                status="In active" if left else "Active",
            )
            self.users.append(user)
        for number, (name, code, per_mille) in enumerate(
            (("Standard rate", "STD", 120), ("Reduced rate", "RED", 50), ("Exempt", "EX", 0)), 1
        ):
            self._taxes.append((number, per_mille))
            value = money(per_mille * 10)
            self._emit("tax_rates", id=number, name=name, code=code, value=value, type="Percentage")
        for number, title in enumerate(
            ("Cash", "Card", "Bank transfer", "Cheque", "Gift voucher"), 1
        ):
            self.methods.append(title)
            self._emit("payment_methods", id=number, title=title)

    def _labels(self) -> None:
        ctx = self._ctx
        for number, (label, kind, in_pipeline) in enumerate(words.STATUSES, 1):
            self._emit("statuses", id=number, label=label, type=kind, in_pipeline=in_pipeline)
            reference = {"id": number, "label": label}
            (self.statuses if kind == "repair" else self.note_statuses)[label] = reference
            if kind == "repair":
                self.pipeline[label] = in_pipeline
        for label, part, fault in words.ISSUES:
            uid = ctx.uid()
            photo = {"large": f"{PHOTO}issue/{uid}.jpg"}
            self._emit("issue_types", id=uid, label=label, photourls=photo)
            self.issues.append(({"id": uid, "label": label}, part, fault))
        for name, low, high in words.EXPENSE_CATEGORIES:
            category = named(self._emit("expense_categories", name=name))
            self.expense_categories.append((category, low, high))
        for name, days in (("No warranty", 0), ("30 days", 30), ("90 days", 90), ("1 year", 365)):
            text = f"{days} days from the day of sale" if days else ""
            self._warranties.append(
                self._emit(
                    "warranties", name=name, term_days=days, description=text, status="Active"
                )
            )

    def _purchasing(self) -> None:
        ctx, dice = self._ctx, self._dice
        for index in range(3 + ctx.scale.products // 150):
            person = self._contacts.person()
            city, code = dice.choice(words.CITIES)
            supplier = self._emit(
                "suppliers",
                company=f"{self._contacts.company()} {index + 1}",
                contact_name=person.name,
                mobile=person.mobile,
                phone=person.mobile,
                email=f"orders{index + 1}@supplier.example.net",
                address=person.address,
                town=city,
                postcode=code,
                country_code=dice.choice(("GT", "US", "CN", "DE")),
                status="Active" if index else "In active",
            )
            self.suppliers.append(supplier)
        goods = (*words.REPAIR_CATEGORIES, *words.SHELF_CATEGORIES, words.SERVICE_CATEGORY)
        for number, name in enumerate((*goods, "Repair parts", "Shop floor"), 1):
            self._categories[name] = number
            margin = money(dice.randrange(1500, 6500, 50))
            self._emit("categories", id=number, name=name, profit_margin=margin)

    def _devices_and_goods(self) -> None:
        ctx, dice = self._ctx, self._dice
        groups = [named(self._emit("model_groups", name=name)) for name in words.MODEL_GROUPS]
        brands: dict[str, str] = {}
        for name in words.BRANDS[: 4 + ctx.scale.models // 12]:
            brands[name] = ctx.uid()
            logo = {"large": f"{PHOTO}brand/{brands[name]}.png"}
            self._emit("brands", id=brands[name], name=name, logourls=logo)
        self._brands = brands
        for name, price in words.SERVICES:
            self.services.append(self._service(name, price))
        names = list(brands)
        wanted = ctx.scale.products - len(self.services)
        repair_share = 0.62
        per_device = max(1, round(wanted * repair_share / ctx.scale.models))
        for index in range(ctx.scale.models):
            brand = names[index % len(names)]
            year = ctx.first.year - 5 + (index * 7) % 9
            stem = words.MODEL_STEMS[(index // len(names)) % len(words.MODEL_STEMS)]
            name = f"{stem} {1 + index // len(names)}"
            uid = ctx.uid()
            group = groups[0] if dice.random() < 0.6 else dice.choice(groups)
            self._emit(
                "models",
                id=uid,
                model=name,
                make=brand,
                brand={"id": brands[brand], "name": brand},
                model_group=group,
                status="In active" if dice.random() < 0.05 else "Active",
                photourls={"large": f"{PHOTO}model/{uid}.jpg"},
            )
            parts: dict[str, Item] = {}
            for offset in range(per_device):
                category = words.REPAIR_CATEGORIES[offset % len(words.REPAIR_CATEGORIES)]
                item = self._good(category, brand, {"id": uid, "name": name})
                parts.setdefault(category, item)
            self.devices.append(Device(uid, name, brand, year, parts))
        while len(self.items) < wanted:
            category = words.SHELF_CATEGORIES[len(self.shelf) % len(words.SHELF_CATEGORIES)]
            self.shelf.append(self._good(category, dice.choice(names), None))

    def _service(self, name: str, price: int) -> Item:
        code = f"SVC-{self._ctx.number('service'):03d}"
        return self._item(name, code, words.SERVICE_CATEGORY, "", None, 0, price)

    def _good(self, category: str, brand: str, model: Record | None) -> Item:
        dice = self._dice
        title, low, high = dice.choice(words.GOODS[category])
        cost = int(dice.triangular(low, high, low))
        price = round(cost * (1.35 + dice.random() * 1.2) / 25 + 1) * 25 - dice.choice((0, 0, 1, 5))
        code = f"{category[:3].upper()}-{brand[:3].upper()}-{self._ctx.number('product'):05d}"
        label = f"{title} {brand} {model['name']}" if model else f"{title} {brand}"
        item = self._item(label, code, category, brand, model, cost, price)
        self.items.append(item)
        return item

    def _item(
        self,
        name: str,
        code: str,
        category: str,
        brand: str,
        model: Record | None,
        cost: int,
        price: int,
    ) -> Item:
        ctx, dice = self._ctx, self._dice
        service = category == words.SERVICE_CATEGORY
        tax_id, per_mille = self._taxes[0 if dice.random() < 0.93 else dice.choice((1, 2))]
        used = category == "Refurbished"
        supplier = dice.randrange(len(self.suppliers))
        serialised = used or (code.startswith("BOA") and cost > 9000)
        warranty = dice.choice(self._warranties)
        uid = ctx.uid()
        record: Record = {
            "id": uid,
            "type": "service" if service else "product",
            "name": name,
            "code": code,
            "condition": "Used" if used else "New",
            "status": "In active" if dice.random() < 0.04 else "Active",
            "physical_location": "" if service else f"{dice.choice('ABCDEF')}{dice.randint(1, 24)}",
            "brand": {"id": self._brands[brand], "name": brand} if brand else None,
            "model": model,
            "category": {"id": self._categories[category], "name": category},
            "supplier": None
            if service
            else {
                "id": self.suppliers[supplier]["id"],
                "company": self.suppliers[supplier]["company"],
            },
            "supplier_code": "" if service else f"S{dice.randrange(10**6):06d}",
            "prices": {
                "retail_price": money(price),
                "retail_price_inc_vat": money(price + share(price, per_mille)),
                "cost_price": money(cost),
                "cost_price_inc_vat": money(cost + share(cost, per_mille)),
                "vat": money(share(price, per_mille)),
            },
            "tax": tax_id,
            "warranty": named(warranty),
            "alert_quantity": 0 if service else 2,
            "reorder_quantity": 0 if service else 5,
            "inventory_control": not service,
            "serialised_stock": serialised,
            "photourls": {"large": f"{PHOTO}product/{uid}.jpg"},
        }
        created = self._start + len(self.items) * 7
        if not service and dice.random() < 0.3:  # came into the range later than the opening
            day = ctx.first + dt.timedelta(days=dice.randrange(1, ctx.scale.days))
            created = ctx.clock.at(day, 7 * 3600 + dice.randrange(3600))
        return Item(
            uid=uid,
            code=code,
            name=name,
            cost=cost,
            price=price,
            tax_per_mille=per_mille,
            stocked=not service,
            serialised=serialised,
            supplier=supplier,
            record=record,
            created=created,
            last_moved=created,
        )

    def emit_products(self) -> None:
        """Emit every product with the stock it has at the end. Called last."""
        ctx, dice = self._ctx, self._dice
        everything = [*self.services, *self.items]
        fields = self.custom_fields.get("products", [])
        for index, item in enumerate(everything):
            own = {fields[0]: dice.choice(("A", "B", "C"))} if fields and index % 4 == 0 else {}
            others = [one.reference for one in dice.sample(everything, 2)]
            changes: Record = {
                "stock": item.on_hand,
                "custom_fields": own,
                "xsell_upsell": {
                    "cross_sell": others[:1],
                    "upsell": others[1:] if index % 3 == 0 else [],
                },
            }
            ctx.emit("products", item.created, item.last_moved, **(item.record | changes))

    def _presets(self) -> None:
        ctx, dice = self._ctx, self._dice
        groups = [
            named(self._emit("preset_categories", name=name))
            for name in ("Phones, common", "Tablets", "Consoles")
        ]
        for device in self.devices[: max(4, len(self.devices) // 3)]:
            issue, category, _ = dice.choice(self.issues)
            item = device.parts.get(category or "") or self.services[0]
            self._emit(
                "presets",
                name=f"{issue['label']} {device.brand} {device.name}",
                category=dice.choice(groups),
                brand={"id": self._brands[device.brand], "name": device.brand},
                model={"id": device.uid, "name": device.name},
                issue_type=issue,
                legal_document_id=str(1 + dice.randrange(3)),
                lines=[line_of(ctx, item, 1, item.price)],
            )

    def _custom_fields(self) -> None:
        for number, (kind, name, field_type, category, tab, options) in enumerate(
            words.CUSTOM_FIELDS, 1
        ):
            self.custom_fields.setdefault(kind, []).append(name)
            self._emit(
                "custom_fields",
                id=number,
                type=kind,
                name=name,
                label=name,
                field_type=field_type,
                category_id=category,
                tab_id=tab,
                options=options,
            )
