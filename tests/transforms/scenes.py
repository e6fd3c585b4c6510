"""What the shops of the test warehouse hold; each function is one scene in a shop of its own.

Sales, payments and reconciliation are here, the rest of a shop in :mod:`tests.transforms.workshop`.
"""

import datetime as dt
import random
from dataclasses import dataclass, field
from decimal import Decimal
from zoneinfo import ZoneInfo

from tests.transforms import workshop
from tests.transforms.raw import Raw


def first_night(raw: Raw) -> None:
    _books(raw)
    _random(raw)
    _money(raw)
    _definitions(raw)
    _differs(raw)
    workshop.fill(raw)


def second_night(raw: Raw) -> None:
    def change(table: str, shop: str, id: str, change: str) -> None:
        raw.execute(f"update raw.{table} set {change} where shop_id = '{shop}' and id = '{id}'")

    change("ticket_invoices", "differs", "edited", "amount_total = 140")
    change("ticket_invoices", "differs", "gone", "_deleted_at = now()")
    for id in ("void-1", "void-2"):
        change("pos_orders", "differs", id, "_deleted_at = now()")
    change("tickets", "bench", "watched", "status__label = 'Repaired'")
    raw.execute("update ops.shops set today_by = 'ticket' where shop_id = 'asked'")
    # Read again, nothing changed: no version.
    raw.execute("update raw.customers set _seen_at = now() where shop_id = 'bench'")


def _books(raw: Raw) -> None:
    """Sales and purchases by the default definition."""
    raw.add("tickets", "t1", "books", created_date="2026-01-20T10:00:00-06:00")
    raw.add(
        "ticket_invoices",
        "plain",
        "books",
        ticket__id="t1",
        amount_total="112.00",
        tax_total="12.00",
        created_date="2026-01-31T23:59:59-06:00",
        status="Paid",
        lines=[
            {
                "product_code": "SCREEN",
                "quantity": 1,
                "unit_price": 90,
                "tax": 10.8,
                "total": 100.8,
            },
            {"product_code": "GLUE", "quantity": 2, "unit_price": 5, "tax": 1.2, "total": 11.2},
        ],
        returns=[
            {
                "id": "r1",
                "amount": "11.20",
                "created_date": "2026-03-01T00:00:00-06:00",
                "reason": "wrong",
                "lines": [{"product_code": "GLUE", "quantity": 2, "tax": 1.2, "total": 11.2}],
            }
        ],
    )
    raw.add(
        "ticket_invoices", "zero", "books", amount_total=0, created_date="2026-02-03", status="Paid"
    )
    raw.add(
        "ticket_invoices",
        "deleted",
        "books",
        amount_total=999,
        created_date="2026-02-03",
        _deleted_at="2026-02-05 00:00:00+00",
        returns=[{"id": "r9", "amount": 99, "created_date": "2026-02-04"}],
    )
    raw.add(
        "pos_orders",
        "till",
        "books",
        amount_total="50",
        created_date="2026-02-01T05:59:59Z",
        status="Paid",
        returns=[{"amount": "8", "created_date": "2026-02-20T10:00:00"}],
    )
    raw.add(
        "pos_orders",
        "by_lines",
        "books",
        created_date="2026-02-10",
        lines=[{"product_code": "GLUE", "quantity": 1, "total": "7.5"}],
    )
    raw.add("products", "p1", "books", code="SCREEN", prices__cost_price=40)
    raw.add(
        "purchase_orders", "po1", "books", cost=100, shipping_cost=5, received_date="2026-02-02"
    )
    raw.add("purchase_orders", "po2", "books", cost=70, created_date="2026-02-01")
    raw.add("expenses", "e1", "books", amount=33, created_date="2026-02-02")
    raw.service_says("monthly_sales", "2026-01-01", "162.00", "books")
    raw.service_says("monthly_sales", "2026-02-01", "-0.5049", "books")
    raw.service_says("monthly_sales", "2026-03-01", "-11.21", "books")
    raw.service_says("monthly_sales", "2026-04-01", "0", "books")
    raw.service_says("daily_purchases", "2026-02-02", "105", "books")


@dataclass
class Oracle:
    """Sums of the random shop, worked out in Python from the same rows."""

    days: dict[dt.date, Decimal] = field(default_factory=dict)
    documents: int = 0

    def count(self, day: dt.date, amount: Decimal) -> None:
        self.days[day] = self.days.get(day, Decimal(0)) + amount
        self.documents += 1


def oracle() -> tuple[Oracle, list[tuple[str, str, dict[str, object]]]]:
    """Two hundred documents on the days around a change of the clock, and what they come to."""
    dice = random.Random(20260328)
    zone = ZoneInfo(workshop.ZONES["random"])
    found = Oracle()
    rows: list[tuple[str, str, dict[str, object]]] = []
    for number in range(200):
        at = dt.datetime(2026, 3, 27, tzinfo=dt.UTC) + dt.timedelta(
            seconds=dice.randrange(6 * 86400)
        )
        amount = Decimal(dice.randrange(0, 100_000)).scaleb(-2)
        given = Decimal(dice.randrange(1, 1000)).scaleb(-2)
        later = at + dt.timedelta(seconds=dice.randrange(5 * 86400))
        values: dict[str, object] = {
            "amount_total": amount,
            "created_date": _spelled(dice, at, zone),
        }
        found.count(at.astimezone(zone).date(), amount)
        if number % 5 == 0:
            values["returns"] = [{"amount": given, "created_date": _spelled(dice, later, zone)}]
            found.count(later.astimezone(zone).date(), -given)
        rows.append((dice.choice(["ticket_invoices", "pos_orders"]), f"d{number}", values))
    return found, rows


def _spelled(dice: random.Random, at: dt.datetime, zone: ZoneInfo) -> str:
    local = at.astimezone(zone)
    offset = local.strftime("%z")
    return dice.choice(
        [
            local.strftime("%Y-%m-%dT%H:%M:%S") + f"{offset[:3]}:{offset[3:]}",
            local.strftime("%Y-%m-%dT%H:%M:%S"),
            local.strftime("%Y-%m-%d"),
            at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            at.astimezone(ZoneInfo("Asia/Kathmandu")).isoformat(),
        ]
    )


def _random(raw: Raw) -> None:
    for table, name, values in oracle()[1]:
        raw.add(table, name, "random", **values)


def _money(raw: Raw) -> None:
    """Payments of every kind, in every place they can stand."""
    raw.add(
        "tickets",
        "t1",
        "money",
        customer__id="c1",
        payments=[
            {"id": "10", "amount": 20, "date": "2026-03-01"},
            {"id": "15", "amount": 9, "date": "2026-03-01"},
        ],
    )
    raw.add(
        "ticket_invoices",
        "i1",
        "money",
        ticket__id="t1",
        customer__id="c1",
        number="INV-1",
        amount_total=100,
        created_date="2026-03-05T18:00:00-06:00",
        payments=[
            {"id": "10", "amount": 20, "date": "2026-03-01"},
            {"id": "11", "amount": 30, "date": "2026-03-06T00:30:00Z"},
            {"id": "12", "amount": 40, "date": "2026-03-09"},
            {"id": "13", "amount": -5, "date": "2026-03-10"},
            {"id": "14", "amount": 1, "date": "2026-03-05", "is_advance": True},
            {"amount": 2, "date": "2026-03-05"},
        ],
    )
    raw.add(
        "ticket_invoices",
        "i2",
        "money",
        amount_total=30,
        created_date="2026-03-06",
        payments=[{"id": "11", "amount": 30, "date": "2026-03-06T00:30:00Z"}],
    )
    raw.add(
        "ticket_invoices",
        "i3",
        "money",
        amount_total=30,
        created_date="2026-03-06",
        _deleted_at="2026-03-07 00:00:00+00",
        payments=[{"id": "16", "amount": 30, "date": "2026-03-06"}],
    )
    raw.add(
        "pos_orders",
        "o1",
        "money",
        amount_total=8,
        created_date="2026-03-05",
        payments=[
            {"payment_id": "20", "amount": 8, "date": "2026-03-05", "payment_method__title": "Cash"}
        ],
        returns=[{"id": "r1", "amount": 3, "created_date": "2026-03-08"}],
    )
    raw.add(
        "payments",
        "11",
        "money",
        amount=30,
        date="2026-03-06T00:30:00Z",
        payment_method__title="Card",
    )
    raw.add("payments", "20", "money", amount=8, date="2026-03-05")
    raw.add("payments", "21", "money", amount=-3, date="2026-03-08", kind="return", return__id="r1")
    raw.add("payments", "22", "money", amount=55, date="2026-03-05", invoice__id="i1")
    raw.add("payments", "23", "money", amount=7, date="2026-03-05")
    raw.add(
        "payments", "24", "money", amount=6, date="2026-03-05", _deleted_at="2026-03-06 00:00:00+00"
    )
    # Deleted by the list before the document that still shows it was read: the document is newer.
    raw.add(
        "payments",
        "12",
        "money",
        amount=40,
        date="2026-03-09",
        _deleted_at="2025-03-06 00:00:00+00",
    )


def _definitions(raw: Raw) -> None:
    """One shop whose service counts the default, one whose service counts net by the sale's day."""
    for month in range(1, 8):
        day = f"2026-{month:02d}"
        for shop in ("fits", "net"):
            raw.add(
                "ticket_invoices",
                f"i{month}",
                shop,
                amount_total=100 + month,
                tax_total=10,
                status="Due" if month % 2 else "Paid",
                created_date=f"{day}-20",
                returns=[
                    {
                        "id": f"r{month}",
                        "amount": 22 + month,
                        "created_date": f"2026-{month + 1:02d}-02",
                        "lines": [{"tax": 2, "total": 22 + month}],
                    }
                ],
            )
        earlier = 21 + month if month > 1 else 0
        raw.service_says("monthly_sales", f"{day}-01", str(100 + month - earlier), "fits")
        raw.service_says("monthly_sales", f"{day}-01", str(90 + month - 20 - month), "net")
    raw.add(
        "purchase_orders",
        "p1",
        "fits",
        cost=40,
        shipping_cost=2,
        created_date="2026-01-05",
        received_date="2026-02-05",
    )
    raw.service_says("monthly_purchases", "2026-02-01", "41", "fits")
    raw.service_says("monthly_purchases", "2026-01-01", "0", "fits")


def _differs(raw: Raw) -> None:
    """A month in which each day differs for another reason."""
    add = raw.add
    for id, amount, status, created, said in (
        ("edited", 100, "Paid", "2026-05-02T12:00:00-06:00", "100"),
        ("gone", 60, "Paid", "2026-05-04T12:00:00-06:00", "60"),
        ("late", 70, "Paid", "2026-05-06T23:30:00-06:00", "0"),
        ("owed", 80, "Due", "2026-05-08T12:00:00-06:00", "0"),
    ):
        what = {"number": id[0].upper(), "amount_total": amount, "status": status}
        add("ticket_invoices", id, "differs", created_date=created, **what)
        raw.service_says("daily_sales", created[:10], said, "differs")
    add("payments", "lost", "differs", amount=90, date="2026-05-10", invoice__id="nowhere")
    raw.service_says("daily_sales", "2026-05-10", "90", "differs")
    raw.service_says("daily_sales", "2026-05-12", "33", "differs")
    add("pos_orders", "fine", "differs", amount_total=15, status="Paid", created_date="2026-05-14")
    raw.service_says("daily_sales", "2026-05-14", "15", "differs")
    for id, amount in (("void-1", 25), ("void-2", 35)):
        add("pos_orders", id, "differs", amount_total=amount, created_date="2026-05-16")
    raw.service_says("daily_sales", "2026-05-16", "60", "differs")
    raw.service_says("monthly_sales", "2026-05-01", "400", "differs")
    raw.service_says("monthly_sales", "2026-06-01", "0", "differs")
    add(
        "purchase_orders",
        "bought",
        "differs",
        cost=10,
        shipping_cost=2,
        received_date="2026-05-20T23:00:00-06:00",
    )
    raw.service_says("monthly_purchases", "2026-05-01", "0", "differs")
    raw.service_says("daily_purchases", "2026-05-20", "0", "differs")
