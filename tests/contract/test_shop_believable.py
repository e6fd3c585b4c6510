"""What makes reports go wrong in real shops is in every generated one."""

import datetime as dt
import unicodedata
from collections import Counter
from typing import Any
from zoneinfo import ZoneInfo

from tests.contract.shops import Shop


def at(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text)


def documents(shop: Shop) -> list[dict[str, Any]]:
    return [*shop["ticket_invoices"], *shop["pos_orders"]]


def test_even_the_smallest_shop_has_every_awkward_document(tiny):
    everything = documents(tiny)
    assert any(document["amount_total"] == 0 for document in everything)
    assert any(document["status"] == "Due" for document in everything)
    assert any(
        at(back["created_date"]).strftime("%Y%m") > at(document["created_date"]).strftime("%Y%m")
        for document in everything
        for back in document["returns"]
    )
    midnight = [d for d in everything if d["created_date"][11:19] == "23:59:59"]
    assert all((at(d["created_date"]) + dt.timedelta(seconds=1)).day == 1 for d in midnight[:1])
    assert len(midnight) >= 12
    assert any(d["created_date"][8:19] == "01T00:00:00" for d in everything)


def test_advances_come_before_their_invoice(small):
    advances = [
        (payment, invoice)
        for invoice in small["ticket_invoices"]
        for payment in invoice["payments"]
        if payment["is_advance"]
    ]
    assert len(advances) > 50
    for payment, invoice in advances:
        assert at(payment["date"]) < at(invoice["created_date"])
    for document in documents(small):
        for payment in document["payments"]:
            if not payment["is_advance"]:
                assert at(payment["date"]) >= at(document["created_date"])


def test_some_documents_are_paid_in_part_or_late_or_not_at_all(small):
    due = [invoice for invoice in small["ticket_invoices"] if invoice["status"] == "Due"]
    assert any(invoice["payments"] for invoice in due)
    assert any(not invoice["payments"] for invoice in due)
    assert 0.01 < len(due) / len(small["ticket_invoices"]) < 0.15
    late = [
        payment
        for invoice in small["ticket_invoices"]
        for payment in invoice["payments"]
        if (at(payment["date"]) - at(invoice["created_date"])).days > 20
    ]
    assert late


def test_nights_that_change_the_clock_have_documents_on_both_sides(small):
    zone = ZoneInfo("America/New_York")
    moments = {at(document["created_date"]).timestamp() for document in documents(small)}
    repeated = [
        dt.datetime(year, 11, day, 1, 30, tzinfo=zone, fold=fold).timestamp()
        for year, day in ((2024, 3), (2025, 2))
        for fold in (0, 1)
    ]
    assert set(repeated) <= moments
    for spring in (
        dt.datetime(2025, 3, 9, 3, tzinfo=zone),
        dt.datetime(2026, 3, 8, 3, tzinfo=zone),
    ):
        assert {spring.timestamp() - 1, spring.timestamp()} <= moments


def test_sundays_are_closed_and_december_is_busier_than_august(small):
    created = [at(order["created_date"]) for order in small["pos_orders"]]
    ordinary = [moment for moment in created if 8 <= moment.hour < 20]
    assert not [moment for moment in ordinary if moment.weekday() == 6]
    months = Counter(moment.strftime("%Y-%m") for moment in ordinary)
    assert months["2025-12"] > months["2025-08"]
    assert months["2026-05"] > months["2024-05"]


def test_tickets_are_at_every_stage(small):
    tickets = small["tickets"]
    pipeline = {row["id"]: row["in_pipeline"] for row in small["statuses"]}
    for ticket in tickets:
        assert ticket["_in_pipeline"] == pipeline[ticket["status"]["id"]]
    labels = Counter(ticket["status"]["label"] for ticket in tickets)
    assert {"Collected", "Not Repairable", "Cancelled"} <= labels.keys()
    shown = [ticket for ticket in tickets if ticket["_in_pipeline"]]
    assert 5 < len(shown) < len(tickets) / 4
    unassigned = [ticket for ticket in tickets if not ticket["technician"]]
    assert 0.02 < len(unassigned) / len(tickets) < 0.12
    assert {"repair", "repair_notes"} == {row["type"] for row in small["statuses"]}


def test_some_repairs_come_back_within_thirty_days(small):
    visits: dict[tuple[str, str, str], list[dt.datetime]] = {}
    for ticket in small["tickets"]:
        key = (ticket["customer"]["id"], ticket["device"], ticket["issue_type"]["label"])
        visits.setdefault(key, []).append(at(ticket["created_date"]))
    again = [sorted(moments) for moments in visits.values() if len(moments) > 1]
    assert sum(later - first < dt.timedelta(days=60) for first, later, *_ in again) >= 10


def test_names_come_in_many_scripts_and_without_emoji(small):
    names = "".join(customer["name"] for customer in small["customers"])
    scripts = {unicodedata.name(char, "?").split()[0] for char in names if char.isalpha()}
    assert {"LATIN", "CYRILLIC", "GREEK", "ARABIC", "HEBREW", "CJK", "HANGUL", "DEVANAGARI"} <= (
        scripts
    )
    assert not [char for char in names if unicodedata.category(char) in {"So", "Cs", "Cc"}]


def test_the_office_has_its_loose_ends(small):
    assert any(order["received_date"] is None for order in small["purchase_orders"])
    assert any(order["status"] == "Received" for order in small["purchase_orders"])
    assert {"Won", "Lost", "New"} <= {lead["status"] for lead in small["leads"]}
    assert all(lead["ticket"] for lead in small["leads"] if lead["status"] == "Won")
    assert {"No Show", "Completed"} <= {row["status"] for row in small["appointments"]}
    assert all(timer["end_date"] != timer["start_date"] for timer in small["ticket_timers"])
    assert {"Public", "Private"} == {comment["type"] for comment in small["ticket_comments"]}
    assert any(customer["custom_fields"] for customer in small["customers"])
    assert any(product["xsell_upsell"]["upsell"] for product in small["products"])
