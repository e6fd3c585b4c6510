"""Whole syncs, models and all: what changed is repaired and published; what did not is free."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import duckdb
import pytest

from pipelines.home import HomeError
from pipelines.sync import session
from pipelines.sync.reconcile import reconcile
from pipelines.sync.run import sync
from pipelines.transform import models
from tests.few_models import build_few
from tests.mirror.shop import Mirror
from tests.promises import promise


def published(mirror: Mirror, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(mirror.home / "warehouse.duckdb"), read_only=True) as database:
        return database.execute(sql).fetchall()


def last_run(mirror: Mirror) -> tuple[object, ...]:
    return mirror.ledger(
        "SELECT command, outcome, exit_code, message FROM runs ORDER BY run_id DESC LIMIT 1"
    )[0]


def _paid_later(invoice: dict[str, Any]) -> bool:
    made = date.fromisoformat(str(invoice["created_date"])[:10])
    days = (date.fromisoformat(str(paid["date"])[:10]) for paid in invoice["payments"])
    return any((day - made).days > 3 for day in days)


@promise("an old edit is found by the report of its month")
def test_an_old_invoice_edited_and_one_deleted_are_repaired_in_a_handful_of_requests(
    make_mirror, mirrored, monkeypatch
):
    build_few(monkeypatch)
    mirror = make_mirror(home=mirrored)
    builds: list[str] = []
    build: Callable[..., models.ModelRun] = models.build

    def counted(*arguments, **named):
        builds.append("build")
        return build(*arguments, **named)

    monkeypatch.setattr(models, "build", counted)

    def night():
        builds.clear()
        mirror.server.forget_requests()
        return sync(mirror.settings)

    assert night().exit_code == 0
    mirror.assert_same()
    mirror.changes["timeout_seconds"] = 20.0  # how it is asked makes no figure another one
    quiet = night()
    assert quiet.exit_code == 0, quiet.details
    assert quiet.rows == 0
    assert not builds, "nothing changed, so nothing is built"
    assert quiet.requests <= 60
    [(runs,)] = published(mirror, "SELECT count(*) FROM ops.runs")
    assert runs == 3, "what a night cost is published all the same"

    invoices = sorted(mirror.store.all("ticket_invoices"), key=lambda i: str(i["created_date"]))
    edited = invoices[0]
    deleted = next(filter(_paid_later, invoices[1:]))
    mirror.store.update("ticket_invoices", edited["id"], {"amount_total": 4321.5})
    mirror.store.delete("ticket_invoices", deleted["id"])
    repaired = night()
    assert repaired.exit_code == 0, repaired.details
    assert repaired.requests - quiet.requests <= 25
    mirror.assert_same("ticket_invoices")
    gone = published(mirror, "SELECT id FROM raw.ticket_invoices WHERE _deleted_at NOTNULL")
    assert gone == [(deleted["id"],)]
    assert not published(mirror, "FROM marts.reconciliation WHERE NOT matches")

    # A build that fails is not taken for one that stands, although nothing changes afterwards.
    settings, mirror.changes = mirror.changes, {**mirror.changes, "currency": "USD"}

    def failing(*arguments, **named):
        raise models.ModelsFailed("a model failed")

    monkeypatch.setattr(models, "build", failing)
    with pytest.raises(models.ModelsFailed):
        night()
    with pytest.raises(models.ModelsFailed):
        reconcile(mirror.settings)
    assert last_run(mirror) == ("reconcile", "failed", 1, "a model failed")
    mirror.changes = settings
    monkeypatch.setattr(models, "build", counted)
    after = night()
    assert after.exit_code == 0, after.details
    assert len(builds) == 1
    # Paid on other days than it was made: an empty day is believed the second time.
    mirror.assert_same("payments")

    settings, mirror.changes = mirror.changes, {**mirror.changes, "reserve": 10**6}
    assert reconcile(mirror.settings).exit_code == 2
    assert "reserve = 1000000 leaves nothing" in str(last_run(mirror)[3])
    mirror.changes = settings

    def full_disk(home, settle):
        raise HomeError("the disk is full")

    # What readers did not get is no run that went well.
    monkeypatch.setattr(session, "publish", full_disk)
    with pytest.raises(HomeError):
        night()
    assert last_run(mirror) == ("sync", "failed", 2, "the disk is full")


def test_a_report_of_days_that_cannot_be_read_keeps_no_other_month_from_repair(
    make_mirror, mirrored, monkeypatch
):
    build_few(monkeypatch)
    mirror = make_mirror(home=mirrored)
    invoices = sorted(mirror.store.all("ticket_invoices"), key=lambda i: str(i["created_date"]))
    old, newer = (invoices[place]["id"] for place in (0, len(invoices) // 2))
    for identity in (old, newer):
        mirror.store.update("ticket_invoices", identity, {"amount_total": 4321.5}, touch=False)
    for skipped in (0, 1):  # that of the newer month, before the repair and after it
        mirror.server.faults.next(
            "answer_before", path="/dailySales", skip=skipped, content=["no report"]
        )
    night = sync(mirror.settings)
    assert night.exit_code == 3, night.details
    edited = "SELECT id FROM raw.ticket_invoices WHERE amount_total = 4321.5"
    assert published(mirror, edited) == [(old,)]
    assert sync(mirror.settings).exit_code == 0
    mirror.assert_same("ticket_invoices")


@promise("an old edit is found by the report of its month")
@pytest.mark.usefixtures("noon")
def test_a_night_repairs_as_much_as_the_setting_says_and_the_next_ones_go_on(
    make_mirror, monkeypatch
):
    """A list of twelve pages, of which a night reads the last one and three others."""
    build_few(monkeypatch)
    first = date.today() - timedelta(days=600)
    paid = {"number": 1, "amount_total": 100, "status": "Paid"}
    invoices = [
        ("ticket_invoices", {"id": f"i{n:03}", "created_date": f"{day}T12:00:00", **paid})
        for n, day in enumerate(first + timedelta(days=n) for n in range(590))
    ]
    of_shop = {"currency": "GTQ", "audit_requests": 3, "timeout_seconds": 30.0}
    mirror = make_mirror(records=invoices, database=True, repair_requests=8, **of_shop)
    assert sync(mirror.settings).exit_code == 0
    for index in range(80, 480, 70):  # more months than would leave a request for a day
        mirror.store.update("ticket_invoices", f"i{index:03}", {"amount_total": 4321.5})
    mirror.server.forget_requests()
    assert sync(mirror.settings).exit_code == 1
    asked = [*mirror.asked("/daily"), *(one for one in mirror.asked() if "createdDate" in one)]
    assert any("createdDate" in one for one in asked), "the first of these nights repairs, too"
    assert len(set(asked)) <= 8
    later = (sync(mirror.settings).exit_code for _ in range(2))
    assert 0 in later
    mirror.assert_same("ticket_invoices")


def test_a_sync_of_one_shop_says_nothing_of_the_others(make_mirror):
    mirror = make_mirror(shops=("norte", "sur"), records=[("brands", {"id": 1, "name": "One"})])
    mirror.server.faults.next("html_502", shop="sur", times=10_000)
    report = mirror.run(shop="norte")
    assert (report.exit_code, report.message) == (0, "What was asked for is complete."), report
