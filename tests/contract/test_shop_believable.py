"""What makes reports go wrong in real shops is in every generated one."""

import datetime as dt
import unicodedata
from collections import Counter
from zoneinfo import ZoneInfo

from tests.contract.shops import documents

at = dt.datetime.fromisoformat


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


def test_documents_are_paid_before_at_once_in_part_late_or_not_at_all(small):
    invoices = small["ticket_invoices"]
    days = Counter(
        (payment["is_advance"], (at(payment["date"]) - at(invoice["created_date"])).days)
        for invoice in invoices
        for payment in invoice["payments"]
    )
    assert all((late < 0) == is_advance for is_advance, late in days)
    assert sum(count for (is_advance, _), count in days.items() if is_advance) > 50
    assert max(late for _, late in days) > 20
    due = [invoice for invoice in invoices if invoice["status"] == "Due"]
    assert {bool(invoice["payments"]) for invoice in due} == {True, False}
    assert 0.01 < len(due) / len(invoices) < 0.15


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


def test_tickets_are_at_every_stage_and_some_come_back(small):
    tickets = small["tickets"]
    pipeline = {row["id"]: row["in_pipeline"] for row in small["statuses"]}
    assert all(ticket["_in_pipeline"] == pipeline[ticket["status"]["id"]] for ticket in tickets)
    labels = Counter(ticket["status"]["label"] for ticket in tickets)
    assert {"Collected", "Not Repairable", "Cancelled"} <= labels.keys()
    assert 5 < sum(ticket["_in_pipeline"] for ticket in tickets) < len(tickets) / 4
    assert 0.02 < sum(not ticket["technician"] for ticket in tickets) / len(tickets) < 0.12
    visits = Counter((t["customer"]["id"], t["device"], t["issue_type"]["id"]) for t in tickets)
    assert sum(times > 1 for times in visits.values()) >= 10


def test_names_come_in_many_scripts(small):
    names = "".join(customer["name"] for customer in small["customers"])
    scripts = {unicodedata.name(char, "?").split()[0] for char in names if char.isalpha()}
    wanted = "LATIN CYRILLIC GREEK ARABIC HEBREW CJK HANGUL DEVANAGARI"
    assert set(wanted.split()) <= scripts
