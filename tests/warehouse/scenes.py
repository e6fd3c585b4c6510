"""What the shops of the test warehouse hold: the rows of ``scenes.yml``, and some made up here."""

import datetime as dt
import random
import re
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import yaml

from tests.warehouse import by_hand
from tests.warehouse.raw import Raw

ZONES = {
    "books": "America/Guatemala",
    "random": "Europe/Berlin",
    "money": "America/Guatemala",
    "fits": "America/Guatemala",
    "net": "America/Guatemala",
    "rounds": "UTC",
    "differs": "America/Guatemala",
    "bench": "Europe/Berlin",
    "holiday": "UTC",
    "trade": "UTC",
    "asked": "UTC",
    "murky": "UTC",
    "absurd": "Pacific/Apia",
    "void": "Pacific/Auckland",
    "renamed": "UTC",
    "apart": "UTC",
    "called": "UTC",
    "by_id": "UTC",
    "by_number": "UTC",
    **dict.fromkeys(by_hand.SHOPS, "UTC"),
}


NOW = dt.datetime(2026, 10, 14, 9, 30, tzinfo=dt.UTC)
"""When both nights are, whatever the machine's clock says: no midnight lies between them."""


def today(shop: str) -> dt.date:
    return NOW.astimezone(ZoneInfo(ZONES[shop])).date()


def first_night(raw: Raw) -> None:
    raw.execute(
        "update ops.shops set closed_days = '2026-12-25,2026-05-01' where shop_id = 'holiday'"
    )
    rows = yaml.load(Path(__file__).with_suffix(".yml").read_text("utf-8"), yaml.BaseLoader)
    for shop, tables in rows.items():
        for report in tables.pop("service_says", ()):
            raw.service_says(*report, shop)
        for table, row in ((table, row) for table, listed in tables.items() for row in listed):
            raw.add(table, shop=shop, **dated(row, today(shop)))
    _random(raw)
    for shop in by_hand.SHOPS:
        for table, row in by_hand.Books(shop, today(shop)).rows():
            raw.add(table, shop=shop, **row)
    _definitions(raw)
    _brisk(raw)
    _renamed(raw)
    _absurd(raw)


def dated(value: Any, today: dt.date) -> Any:
    """``today-3`` as a day, wherever it stands."""
    if isinstance(value, dict):
        return {name: dated(part, today) for name, part in value.items()}
    if isinstance(value, list):
        return [dated(part, today) for part in value]
    found = re.fullmatch(r"today([+-]\d+)?", value)
    return (today + dt.timedelta(int(found[1] or 0))).isoformat() if found else value


def second_night(raw: Raw) -> None:
    def change(table: str, shop: str, id: str, change: str) -> None:
        raw.execute(f"update raw.{table} set {change} where shop_id = '{shop}' and id = '{id}'")

    change("ticket_invoices", "differs", "edited", "amount_total = 140")
    change("ticket_invoices", "differs", "gone", "_deleted_at = now()")
    for id in ("void-1", "void-2"):
        change("pos_orders", "differs", id, "_deleted_at = now()")
    change("tickets", "bench", "watched", "status__label = 'Repaired'")
    change("statuses", "renamed", "7", "label = 'Finalizado / Entregado', _seen_at = now()")
    change("tickets", "renamed", "touched", "status__label = 'Finalizado / Entregado'")
    change("tax_rates", "apart", "1", "value = 15")
    raw.execute("update ops.shops set today_by = 'ticket' where shop_id = 'asked'")
    # Read again, nothing changed: no version.
    raw.execute("update raw.customers set _seen_at = now() where shop_id = 'bench'")


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
    zone = ZoneInfo(ZONES["random"])
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


def _brisk(raw: Raw) -> None:
    """Repairs that take a day, and some of long ago that nobody ever closed."""
    raw.add("statuses", "Collected", "brisk", label="Collected")
    for number in range(40):
        over = {"status__id": "Collected", "status__label": "Collected"} if number % 2 else {}
        moments = {"created_date": "2026-02-02", "last_updated": "2026-02-03"}
        raw.add("tickets", f"t{number}", "brisk", **moments, **over)


def _renamed(raw: Raw) -> None:
    """A shop gives a status another label, which a ticket bears once it is read again; one bears
    the id alone."""
    raw.add("statuses", "7", "renamed", label="Terminado", type="repair")
    of_status = {"status__id": "7", "status__label": "Terminado"}
    for id in ("touched", "untouched"):
        moments = {"created_date": "2026-02-02", "last_updated": "2026-02-03"}
        raw.add("tickets", id, "renamed", **moments, **of_status)
    raw.add("tickets", "by_id", "renamed", **moments, status__label="7")


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
