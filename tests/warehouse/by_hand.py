"""Shops drawn by chance, and what an owner would reckon by hand: plain Python, none of our SQL.

What chance draws coincides: days on which ages end, amounts, customers. Lines are of nothing or of
less, without a code, at an unknown cost; invoices are paid before their day, too much, and back.
"""

import datetime as dt
import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

SHOPS = {"hand": False, "hand_beside": True}
"""Shop -> whether its lines leave tax out of their totals."""
_AGES = (0, 0, 1, 29, 30, 31, 60, 61, 90, 91, 179, 180, 181, 400)
_NOTHING = Decimal(0)
Rows = dict[Any, tuple[Any, ...]]


def _cents(amount: Decimal) -> Decimal:
    return amount.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)


class Effect(NamedTuple):
    """A document, or a return of one; ``sign`` is -1 for a return."""

    day: dt.date
    gross: Decimal
    tax: Decimal
    sign: int
    lines: list[dict[str, Any]]


class Books:
    """The rows of one shop, and what they come to on the day ``today``."""

    def __init__(self, shop: str, today: dt.date) -> None:
        self.dice, self.today, self.is_beside = random.Random(shop), today, SHOPS[shop]
        costs = (None, None, _NOTHING, Decimal(4), Decimal("33.33"))
        self.costs = {f"P{place}": cost for place, cost in enumerate(costs)}
        self.tickets = {
            f"t{place}": self._ago() | {"technician__id": self.dice.choice(["a", "b", None])}
            for place in range(8)
        }
        self.documents = [self._document(place) for place in range(60)]

    def _ago(self) -> dict[str, Any]:
        day = self.today - dt.timedelta(self.dice.choice(_AGES))
        return {"created_date": day, "customer__id": self.dice.choice(["c0", "c1", "c2"])}

    def _line(self) -> dict[str, Any]:
        quantity = self.dice.choice([1, 1, 2, 3, 0, -1])
        price = Decimal(self.dice.choice(["10", "99.99", "0.01", "33.33"]))
        rate, total = self.dice.choice([12, 5, 0]), quantity * price
        net = total if self.is_beside else total * 100 / (100 + rate)
        code = self.dice.choice([*self.costs, ""])
        tax = _cents(net * rate / 100)
        return {"product_code": code, "quantity": quantity, "tax": tax, "total": total}

    def _with_tax(self, line: dict[str, Any]) -> Decimal:
        total: Decimal = line["total"]
        return total + line["tax"] if self.is_beside else total

    def _document(self, place: int) -> dict[str, Any]:
        lines = [self._line() for _ in range(self.dice.randrange(1, 4))]
        gross = sum(map(self._with_tax, lines), _NOTHING)
        row = self._ago() | {"id": f"d{place}", "lines": lines, "returns": [], "payments": []}
        row["amount_total"] = gross if place % 8 else None
        row["ticket__id"] = self.dice.choice([*self.tickets, None]) if place % 2 else None
        if back := [line for line in lines if line["quantity"] > 0][: self.dice.randrange(2)]:
            day = max(self._later(row), row["created_date"])
            given = {"amount": self._with_tax(back[0]), "created_date": day}
            row["returns"].append(given | {"lines": back})
        paid = ((), (gross,), (gross,), (_cents(gross / 2),), (gross + 5,), (gross, -gross))
        for amount in self.dice.choice(paid):
            number = 10 * place + len(row["payments"])
            row["payments"].append({"id": number, "amount": amount, "date": self._later(row)})
        return row

    def _later(self, row: dict[str, Any]) -> dt.date:
        return min(
            row["created_date"] + dt.timedelta(self.dice.choice([-1, 0, 0, 1, 31])), self.today
        )

    def rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """What the raw tables hold: table, and row."""
        for code, cost in self.costs.items():
            values = {"code": code, "prices__cost_price": cost, "stock": 3, "type": "product"}
            yield "products", values | {"id": code, "created_date": dt.date(2024, 1, 1)}
        yield from (("customers", {"id": name, "name": name}) for name in ("c0", "c1", "c2"))
        yield from (("tickets", {"id": name} | row) for name, row in self.tickets.items())
        for row in self.documents:
            pos = {name: value for name, value in row.items() if name != "ticket__id"}
            yield ("ticket_invoices", row) if row["ticket__id"] else ("pos_orders", pos)

    # -- what they come to ------------------------------------------------------------------------

    def effects(self, row: dict[str, Any]) -> list[Effect]:
        """A document, and its returns."""
        found = [Effect(row["created_date"], *self._sum(row["lines"]), 1, row["lines"])]
        for back in row["returns"]:
            found.append(Effect(back["created_date"], *self._sum(back["lines"]), -1, back["lines"]))
        return found

    def _sum(self, lines: list[dict[str, Any]]) -> tuple[Decimal, Decimal]:
        return sum(map(self._with_tax, lines), _NOTHING), sum(
            (line["tax"] for line in lines), _NOTHING
        )

    def profit(self, effect: Effect) -> Decimal:
        """Of what was sold at a known cost alone."""
        known = [(line, cost) for line in effect.lines
                 if (cost := self.costs.get(line["product_code"])) is not None]  # fmt: skip
        earned = (self._with_tax(one) - one["tax"] - one["quantity"] * cost for one, cost in known)
        return effect.sign * sum(earned, _NOTHING)

    def due(self, row: dict[str, Any], day: dt.date) -> Decimal:
        """What a document owes at the end of a day."""
        sold, *returns = self.effects(row)
        back = sum((one.gross for one in returns if max(one.day, sold.day) <= day), _NOTHING)
        paid = (one["amount"] for one in row["payments"] if max(one["date"], sold.day) <= day)
        return sold.gross - back - sum(paid, _NOTHING) if sold.day <= day else _NOTHING

    def days(self) -> Rows:
        """Each day: sold, tax, profit, taken; due by age, documents; open, and open before."""
        found: Rows = {}
        came = {row["created_date"] for row in (*self.documents, *self.tickets.values())}
        came |= {one["date"] for row in self.documents for one in row["payments"]}
        was_open = {day for day in came if day.weekday() != 6}
        for day in (self.today - dt.timedelta(back) for back in range(450)):
            effects = [one for row in self.documents for one in self.effects(row) if one.day == day]
            paid = [one for row in self.documents for one in row["payments"] if one["date"] == day]
            owed = [(row["created_date"], self.due(row, day)) for row in self.documents]
            owed = [((day - made).days, due) for made, due in owed if due > 0]
            ages = ((0, 30), (31, 60), (61, 90), (91, 999))
            found[day] = (
                sum((one.sign * one.gross for one in effects), _NOTHING),
                sum((one.sign * one.tax for one in effects), _NOTHING),
                sum(map(self.profit, effects), _NOTHING),
                sum((one["amount"] for one in paid), _NOTHING),
                *(sum((due for age, due in owed if a <= age <= b), _NOTHING) for a, b in ages),
                len(owed),
                day in was_open,
                max((one for one in was_open if one < day), default=None),
            )
        return found

    def customers(self) -> Rows:
        """Days on which they came, what they bought, what they owe."""
        found: Rows = {}
        for name in ("c0", "c1", "c2"):
            own = [row for row in self.documents if row["customer__id"] == name]
            tickets = [row for row in self.tickets.values() if row["customer__id"] == name]
            came = [row["created_date"] for row in (*tickets, *own) if not row.get("ticket__id")]
            worth = (one.sign * one.gross for row in own for one in self.effects(row))
            owed = (max(self.due(row, self.today), _NOTHING) for row in own)
            found[name] = (len(set(came)), sum(worth, _NOTHING), sum(owed, _NOTHING))
        return found

    def products(self) -> Rows:
        """Units sold, the last day of a sale, whether that is long ago."""
        found: Rows = {}
        for code in self.costs:
            sold = [(one, line) for row in self.documents for one in self.effects(row)
                    for line in one.lines if line["product_code"] == code]  # fmt: skip
            last = max(one.day for one, line in sold if one.sign > 0 and line["quantity"] > 0)
            units = sum(one.sign * line["quantity"] for one, line in sold)
            found[code] = (units, last, last < self.today - dt.timedelta(180))
        return found

    def technicians(self) -> Rows:
        """What the invoices of their tickets brought, and earned."""
        found: dict[str, list[Decimal]] = defaultdict(lambda: [_NOTHING, _NOTHING])
        for name, ticket in self.tickets.items():
            for row in self.documents:
                for one in self.effects(row) if row["ticket__id"] == name else ():
                    found[ticket["technician__id"] or "unassigned"][0] += one.sign * one.gross
                    found[ticket["technician__id"] or "unassigned"][1] += self.profit(one)
        return {name: tuple(sums) for name, sums in found.items()}


QUESTIONS: dict[str, Callable[[Books], Rows]] = {
    "select day, sold, tax, margin, taken, due_to_30, due_31_to_60, due_61_to_90, due_over_90, "
    "documents_due, is_business_day, last_open_day from marts.shop_days where shop_id = ?":
        Books.days,
    "select id, visits, lifetime_value, due from marts.customers where shop_id = ?":
        Books.customers,
    "select id, sold_quantity, last_sold_day, is_dead_stock from marts.products where shop_id = ?":
        Books.products,
    "select technician_key, revenue, margin from marts.technicians where shop_id = ?":
        Books.technicians,
}  # fmt: skip
"""What the marts are asked, by the first column, and who reckons the rest of it."""
