"""The shop's staff: they create, edit, delete and pay, any record of any age, at any moment."""

import random
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

from sandbox.resources import RESOURCES
from sandbox.store import ShopStore
from sandbox.values import iso_in

KEPT = frozenset({"info", "statuses", "payment_methods", "tax_rates", "users", "shipments_deleted"})
"""What no one deletes: queued changes refer to them, and a refused change proves nothing."""
_UNIQUE = frozenset(
    (
        "id number ticket_ref ticket_no code payment_id ref internal_id last_updated _updated "
        "invoice payments"
    ).split()
)
_FIELDS = {
    "tickets": "short_info",
    "ticket_comments": "comment",
    "statuses": "label",
    "issue_types": "label",
    "models": "model",
    "payments": "payment_note",
    "payment_methods": "title",
    "stock": "location",
    "serials": "serial",
    "suppliers": "company",
    "leads": "subject",
    "appointments": "subject",
    "shipments": "carrier",
    "shipments_deleted": "carrier",
    "stock_count": "reference",
    "adjustments": "notes",
    "time_clock": "in_notes",
    "users": "name",
}
ODD = "odd_"
"""How the fields begin whose values mean nothing: only that they are there does no harm."""
_ODD: tuple[Any, ...] = (
    7,
    "7.5",
    True,
    None,
    {"a": 1},
    [1, 2],
    [{"b": 2}, {"b": {"c": [3]}}],
    {"a": {"b": [{"c": "d"}]}},
    "x" * 20_000,
    "nul \0 bell \a",
    Decimal("12345678901234567890123456789.5"),
    10**40,
    "Q1,234.50",
    "31-Feb-2026",
    {"": 1, "Ä b": 2, "ä_B": 3},
)
_DOCUMENTS = ("ticket_invoices", "pos_orders")


class Staff:
    """Acts on the service's own records, as its web pages would."""

    def __init__(self, store: ShopStore) -> None:
        self._store = store
        self._count = 0
        self.payments: set[str] = set()
        """Ids of the payments taken at the till."""

    def day(self, chance: random.Random, actions: int) -> None:
        """A day's work."""
        weighted: list[tuple[int, Callable[[random.Random], None]]] = [
            (6, self._sell),
            (4, self._pay),
            (2, self._give_back),
            (6, self._edit),
            (3, self._delete),
            (4, self._add),
            (3, self._change_status),
            (2, self._receive),
            (2, self._price),
            (1, self._move_date),
            (1, self._unpay),
            (1, self._odd),
        ]
        for _ in range(actions):
            [act] = chance.choices([a for _, a in weighted], [w for w, _ in weighted])
            act(chance)

    def _some(self, chance: random.Random, table: str) -> dict[str, Any] | None:
        ids = self._store.ids(table)
        return self._store.get(table, chance.choice(ids)) if ids else None

    def _moment(self, chance: random.Random) -> str:
        """Now; sometimes a day of the past, as for what is entered late."""
        if chance.random() < 0.8:
            return self._store.now_text()
        past = self._store.now() - timedelta(days=chance.choice((1, 3, 20, 200, 420)))
        return iso_in(past, self._store.zone)

    def _sell(self, chance: random.Random) -> None:
        self._count += 1
        table = chance.choice(_DOCUMENTS)
        amount = Decimal(chance.randint(100, 90_000)).scaleb(-2)
        when = self._moment(chance)
        customer = self._some(chance, "customers")
        record: dict[str, Any] = {
            "number": f"S-{self._count}",
            "customer": customer and {"id": customer["id"], "name": customer["name"]},
            "amount_total": amount,
            "tax_total": (amount * 12 / 112).quantize(Decimal("0.01")),
            "created_date": when,
            "lines": [
                {
                    "id": 90_000 + self._count,
                    "product_code": "SVC-001",
                    "quantity": 1,
                    "unit_price": amount,
                    "total": amount,
                }
            ],
            "payments": [{"amount": amount, "date": when}] if chance.random() < 0.6 else [],
        }
        ticket = self._some(chance, "tickets")
        if table == "ticket_invoices" and ticket is not None and not ticket.get("invoice"):
            record["ticket"] = {"id": ticket["id"], "ticket_ref": ticket["ticket_ref"]}
            record["ticket_no"] = ticket["ticket_no"]
        made = self._store.insert(table, record)
        paid = self._store.get(table, made) or {"payments": []}
        self.payments |= {str(one["id"]) for one in paid["payments"]}

    def _pay(self, chance: random.Random) -> None:
        table = chance.choice(_DOCUMENTS)
        due = [d for d in self._store.all(table) if d["status"] == "Due"]
        if due:
            self.take(table, chance.choice(due), Decimal(chance.randint(1, 5_000)).scaleb(-2))

    def take(self, table: str, document: dict[str, Any], amount: Decimal) -> None:
        """Take a payment at the till."""
        now = self._store.now_text()
        self.payments.add(self._store.pay(table, document, {"amount": amount, "date": now}))

    def _give_back(self, chance: random.Random) -> None:
        table = chance.choice(_DOCUMENTS)
        document = self._some(chance, table)
        if document is None or Decimal(str(document["amount_total"])) < 1:
            return
        self._count += 1
        amount = (Decimal(str(document["amount_total"])) / 2).quantize(Decimal("0.01"))
        back = {
            "id": 95_000 + self._count,
            "number": f"R-{self._count}",
            "amount": amount,
            "created_date": self._store.now_text(),
            "reason": "",
            "lines": [],
        }
        returns = [*(document.get("returns") or []), back]
        self._store.update(table, document["id"], {"returns": returns})
        self.take(table, document, -amount)

    def _table(self, chance: random.Random) -> str:
        return chance.choice([name for name in RESOURCES if name not in KEPT])

    def _edit(self, chance: random.Random) -> None:
        table = self._table(chance)
        record = self._some(chance, table)
        if record is not None:
            self._count += 1
            name = _FIELDS.get(table, "notes" if "notes" in record else "name")
            told = chance.random() < 0.8
            self._store.update(table, record["id"], {name: f"seen {self._count}"}, touch=told)

    def _delete(self, chance: random.Random) -> None:
        table = self._table(chance)
        # Of the shortest lists nothing goes: two of three at once wait for a person's word.
        if self._store.count(table) > 12:
            self._store.delete(table, chance.choice(self._store.ids(table)))

    def _add(self, chance: random.Random) -> None:
        table = self._table(chance)
        record = self._some(chance, table)
        if record is None or table in (*_DOCUMENTS, "payments"):
            return
        self._count += 1
        copy = {name: value for name, value in record.items() if name not in _UNIQUE}
        copy[RESOURCES[table].date] = self._moment(chance)
        if table == "tickets":
            copy |= {"ticket_ref": f"T-9{self._count:05}", "ticket_no": f"9{self._count:05}"}
        if table == "products":
            copy["code"] = f"S-{self._count}"
        self._store.insert(table, copy)

    def _change_status(self, chance: random.Random) -> None:
        ticket = self._some(chance, "tickets")
        statuses = [one for one in self._store.all("statuses") if one["type"] == "repair"]
        if ticket is not None:
            status = chance.choice(statuses)
            self._store.update(
                "tickets",
                ticket["id"],
                {
                    "status": {"id": status["id"], "label": status["label"]},
                    "_in_pipeline": status["in_pipeline"],
                },
            )

    def _receive(self, chance: random.Random) -> None:
        waiting = [o for o in self._store.all("purchase_orders") if o["status"] != "Received"]
        if waiting:
            received = {"status": "Received", "received_date": self._store.now_text()}
            self._store.update("purchase_orders", chance.choice(waiting)["id"], received)

    def _price(self, chance: random.Random) -> None:
        product = self._some(chance, "products")
        if product is not None:
            prices = dict(product.get("prices") or {})
            prices["retail_price"] = Decimal(chance.randint(100, 50_000)).scaleb(-2)
            self._store.update("products", product["id"], {"prices": prices})

    def _move_date(self, chance: random.Random) -> None:
        table = chance.choice(_DOCUMENTS)
        document = self._some(chance, table)
        if document is not None:
            when = iso_in(
                self._store.now() - timedelta(days=chance.randint(1, 300)), self._store.zone
            )
            self._store.update(table, document["id"], {"created_date": when})

    def _odd(self, chance: random.Random) -> None:
        """A field that nobody declared, with whatever a service may think of."""
        table = self._table(chance)
        record = self._some(chance, table)
        if record is not None:
            value = chance.choice(_ODD)
            self._store.update(table, record["id"], {f"{ODD}{chance.randint(1, 3)}": value})

    def _unpay(self, chance: random.Random) -> None:
        payment = self._some(chance, "payments")
        if payment is not None:
            self._store.delete("payments", payment["id"])
