"""The scenes of tickets, people, stock and purchasing, each in a shop of its own."""

import datetime as dt
from functools import partial
from zoneinfo import ZoneInfo

from tests.transforms.raw import Raw

ZONES = {
    "books": "America/Guatemala",
    "random": "Europe/Berlin",
    "money": "America/Guatemala",
    "fits": "America/Guatemala",
    "net": "America/Guatemala",
    "differs": "America/Guatemala",
    "bench": "Europe/Berlin",
    "trade": "UTC",
    "asked": "UTC",
    "murky": "UTC",
    "absurd": "Pacific/Apia",
    "void": "Pacific/Auckland",
}


def today(shop: str) -> dt.date:
    return dt.datetime.now(ZoneInfo(ZONES[shop])).date()


def back(shop: str, days: int) -> str:
    """So many days before the shop's today, as a bare day."""
    return (today(shop) - dt.timedelta(days=days)).isoformat()


def fill(raw: Raw) -> None:
    """Every scene of this module."""
    _bench(raw)
    _trade(raw)
    _asked(raw)
    _murky(raw)
    _absurd(raw)


def _bench(raw: Raw) -> None:
    """Tickets from opened to paid. 2 March 2026 is a Monday; Sundays are closed, 9 to 18."""
    add = partial(raw.add, shop="bench")
    add("users", "u1", name="Ana Lopez")
    add("statuses", "s1", label="New", in_pipeline=True)
    add("statuses", "s9", label="Weggeworfen", in_pipeline=False)
    add("customers", "c1", name="Zoe", created_date="2025-01-01", sub_sms_service=True)
    done = {
        "status__label": "Collected",
        "technician__id": "u1",
        "customer__id": "c1",
        "device": "Fono X|2021",
        "issue_type__label": "Screen",
        "issue_type__id": "7",
    }
    add(
        "tickets",
        "weekend",
        created_date="2026-03-07T17:00:00+01:00",
        due_date="2026-03-08",
        last_updated="2026-03-20T10:00:00",
        **done,
    )
    add(
        "ticket_invoices",
        "i1",
        ticket__id="weekend",
        customer__id="c1",
        amount_total=90,
        status="Paid",
        created_date="2026-03-09T10:30:00+01:00",
        payments=[{"id": "1", "amount": 90, "date": "2026-03-11"}],
    )
    add("ticket_comments", "k1", ticket__id="weekend", created_date="2026-03-07T17:20:00+01:00")
    add(
        "ticket_timers",
        "m1",
        ticket__id="weekend",
        user__id="u1",
        start_date="2026-03-09T09:00:00+01:00",
        end_date="2026-03-09T10:30:00+01:00",
    )
    add(
        "time_clock",
        "w1",
        user__id="u1",
        in_date="2026-03-09T09:00:00+01:00",
        out_date="2026-03-09T18:00:00+01:00",
    )
    add("tickets", "again", created_date="2026-04-01", **done)
    add("tickets", "much_later", created_date="2026-09-01", **done)
    add(
        "tickets",
        "watched",
        created_date="2026-03-02T10:00:00",
        status__label="New",
        status__id="s1",
        device="Fono X|2022",
        last_updated="2026-03-02T10:00:00",
    )
    add(
        "tickets",
        "scrapped",
        created_date="2026-03-02",
        status__label="Weggeworfen",
        status__id="s9",
        last_updated="2026-03-03T10:00:00",
    )
    add("tickets", "removed", created_date="2026-03-02", _deleted_at="2026-03-03 00:00:00+00")


def _trade(raw: Raw) -> None:
    """Debts, stock, purchasing, leads and appointments, dated from today backwards."""
    add = partial(raw.add, shop="trade")
    for name, age, amount in (
        ("fresh", 3, 10),
        ("old", 45, 20),
        ("older", 75, 30),
        ("oldest", 200, 40),
    ):
        add(
            "ticket_invoices",
            name,
            customer__id="c1",
            customer__name="Max",
            amount_total=amount,
            created_date=back("trade", age),
            due_date=back("trade", age - 14),
            status="Due",
        )
    add(
        "ticket_invoices",
        "part",
        amount_total=50,
        created_date=back("trade", 10),
        status="Due",
        payments=[{"id": "1", "amount": 20, "date": back("trade", 10)}],
        returns=[{"amount": 30, "created_date": back("trade", 9)}],
    )
    add("customers", "c1", name="Max", created_date=back("trade", 400))
    add(
        "products",
        "fast",
        code="F",
        name="Fast",
        type="product",
        stock=30,
        alert_quantity=40,
        prices__retail_price=10,
        prices__cost_price=6,
        created_date=back("trade", 400),
        supplier__id="s1",
    )
    add(
        "products",
        "dead",
        code="D",
        name="Dead",
        type="product",
        stock=5,
        prices__cost_price=2,
        created_date=back("trade", 400),
    )
    add("products", "work", code="W", name="Hour", type="services", prices__retail_price=60)
    add(
        "pos_orders",
        "o1",
        amount_total=90,
        created_date=back("trade", 5),
        status="Paid",
        payments=[{"id": "2", "amount": 90, "date": back("trade", 5)}],
        lines=[{"product_code": "F", "quantity": 9, "total": 90}],
    )
    add("stock", "b1", product__id="fast", quantity=20, remaining=12, cog_per_item=5, location="A1")
    add("stock", "b2", product__id="fast", quantity=18, location="B2")
    add("suppliers", "s1", company="Parts")
    add(
        "purchase_orders",
        "in",
        supplier__id="s1",
        cost=60,
        shipping_cost=5,
        created_date=back("trade", 30),
        expected_date=back("trade", 25),
        received_date=back("trade", 20),
        lines=[{"product_code": "F", "quantity": 10}],
    )
    add(
        "purchase_orders",
        "open",
        supplier__id="s1",
        cost=10,
        created_date=back("trade", 3),
        status="Ordered",
    )
    add("leads", "l1", name="A", status="In Negotiation", created_date=back("trade", 9))
    add("leads", "l2", name="B", status="Won", created_date=back("trade", 9))
    add("leads", "l3", name="C", status="Lost", created_date=back("trade", 9))
    add(
        "appointments",
        "missed",
        subject="x",
        status="No Show",
        lead__id="l1",
        start_date=back("trade", 2),
    )
    add("appointments", "came", subject="x", customer__id="c1", start_date=back("trade", 3))
    add("appointments", "who_knows", subject="x", customer__id="c1", start_date=back("trade", 2))
    add("appointments", "ahead", subject="x", customer__id="c1", start_date=back("trade", -2))


def _asked(raw: Raw) -> None:
    """Today and yesterday at a shop whose "today" goes by the day its tickets were opened."""
    add, now, before = partial(raw.add, shop="asked"), back("asked", 0), back("asked", 1)
    for number, rate in enumerate((12, 0, 5)):
        add("tax_rates", str(number), name=f"IVA {rate}", value=rate)
    add(
        "products",
        "scr",
        code="SCR",
        name="Screen",
        category__name="Parts",
        prices__cost_price=40,
        stock=9,
        type="product",
    )
    add("products", "hour", code="HR", name="Hour", type="services", stock=0, alert_quantity=5)
    glass, ana = {"issue_type__id": "7", "issue_type__label": "Glass"}, {"technician__id": "a"}
    ana |= {"technician__first_name": "Ana", "customer__id": "c1"}
    for name, day, status in (("old", before, "Collected"), ("fresh", now, "Collected")):
        total, tax = (112, 12) if name == "old" else (56, 6)
        add("tickets", name, created_date=day, status__label=status, **glass, **ana)
        add(
            "ticket_invoices",
            name,
            ticket__id=name,
            customer__id="c1",
            status="Paid",
            created_date=now,
            amount_total=total,
            tax_total=tax,
            payments=[{"id": f"p-{name}", "amount": total, "date": now}],
            lines=[{"product_code": "SCR", "quantity": 1, "tax": tax, "total": total}],
        )
    add(
        "tickets",
        "waits",
        created_date=now,
        status__label="New",
        **glass,
        lines=[{"product_code": "HR", "quantity": 2, "unit_price": 30}],
        payments=[{"id": "p-adv", "amount": 20, "date": now}],
    )
    add("tickets", "no_price", created_date=now, status__label="New")
    add("tickets", "off", created_date=now, status__label="Cancelled")
    add(
        "pos_orders",
        "till",
        status="Paid",
        created_date=before,
        amount_total=21,
        tax_total=1,
        customer__id="c2",
        payments=[{"id": "p-till", "amount": 21, "date": before}],
        lines=[
            {"product_code": "?", "item_description": "Cable", "quantity": 1, "tax": 1, "total": 21}
        ],
    )
    for id, name, email, mobile in (
        ("c1", "Ana Paz", "ana@x.example", "+502 5555-1234"),
        ("c2", "A. Paz", "ANA@x.example ", "55551234"),
        ("c3", "Luis Gil", "", "5555 9999"),
    ):
        add("customers", id, name=name, email=email, mobile=mobile, created_date=before)
    add(
        "purchase_orders",
        "coming",
        status="Ordered",
        created_date=before,
        expected_date=back("asked", -3),
        cost=120,
        lines=[{"product_code": "SCR", "quantity": 3, "unit_price": 40}],
    )
    add("expenses", "rent", amount=15, created_date=now)


def _murky(raw: Raw) -> None:
    """Values nobody can read."""
    raw.add(
        "ticket_invoices",
        "bad",
        "murky",
        created_date="2026-02-02",
        _unreadable='{"amount_total": "Q1,2,3", "due_date": "soon"}',
        lines=[{"_unreadable": '{"quantity": "a few"}'}],
    )
    raw.add("customers", "worse", "murky", name="N", created_date="2026-02-31")


def _absurd(raw: Raw) -> None:
    """Values that are valid and that nobody expects: a build must survive them."""
    most = "99999999999999999999.9999"
    odd = 'o\'clock "x" | ü 修理; --'
    for number, day in enumerate(("0001-01-01", "1970-01-01T00:00:00Z", "9999-12-30", None)):
        for table in ("ticket_invoices", "pos_orders"):
            raw.add(
                table,
                f"{odd}{number}",
                "absurd",
                created_date=day,
                due_date=day,
                number=odd,
                amount_total=(most, f"-{most}", 0, None)[number],
                tax_total=(most, 0, 1, 12)[number],
                status=odd,
                lines=[
                    {"product_code": odd, "quantity": "9999999999", "cost": "9999999999"},
                    {"product_code": odd, "quantity": "-0.0001", "total": most},
                ],
                payments=[{"id": odd, "amount": most, "date": day}, {"amount": None}],
                returns=[{"amount": most, "created_date": day}, {"amount": None}],
            )
        raw.add("tickets", f"t{number}", "absurd", created_date=day, due_date=day, device="|||")
        raw.add(
            "products",
            f"p{number}",
            "absurd",
            code=odd,
            stock=(most, "-1", "0.0001", None)[number],
            prices__retail_price=("0.0001", most, 0, None)[number],
            prices__cost_price=("9999999999", 0, most, None)[number],
        )
        raw.add(
            "purchase_orders",
            f"o{number}",
            "absurd",
            cost=most,
            shipping_cost=f"-{most}",
            created_date=day,
            received_date=day,
            expected_date="2026-01-01",
        )
        raw.add(
            "time_clock", f"k{number}", "absurd", user__id="u", in_date=day, out_date="2026-01-01"
        )
