"""Our own earlier changes, and how a service shows them, are nobody's edit."""

import html
from datetime import UTC, datetime, timedelta

import duckdb
import pytest

from pipelines.outbox import Outbox, enqueue, push
from tests.outbox.conftest import states


@pytest.fixture
def record(settings, service):
    """A customer as the warehouse holds it, read an hour ago; staff changed the city since."""
    found = service.put("customers", name="Ann", mobile="1", fulladdress={"city": "Antigua"})
    settings.home.mkdir(exist_ok=True)
    with duckdb.connect(str(settings.home / "warehouse.duckdb")) as db:
        db.execute("create schema raw")
        db.execute(
            "create table raw.customers as select 'main' as shop_id, ? as id, '1' as mobile,"
            " ?::timestamptz as _seen_at, null::timestamptz as _deleted_at",
            [found, datetime.now(UTC) - timedelta(hours=1)],
        )
    return found


def change(settings, record, mobile):
    enqueue("customers", "update", {"mobile": mobile}, record_id=record, settings=settings)


def test_a_field_pushed_before_the_next_sync_may_be_changed_again(settings, service, record):
    for mobile in ("2", "3", "4"):
        change(settings, record, mobile)
        assert push(settings).exit_code == 0
    assert service.records["customers"][record]["mobile"] == "4"


def test_an_edit_of_staff_after_our_own_is_still_a_conflict(settings, service, record):
    change(settings, record, "2")
    push(settings)
    service.records["customers"][record]["mobile"] = "9"
    change(settings, record, "3")
    assert push(settings).exit_code == 1
    assert states(settings) == ["done", "conflict"]
    with Outbox(settings.home) as outbox:
        assert "was '2' when queued, is now '9'" in outbox.get(2).reason


def test_what_the_warehouse_read_after_our_change_counts_instead_of_it(settings, service, record):
    change(settings, record, "2")
    push(settings)
    service.records["customers"][record]["mobile"] = "9"
    with duckdb.connect(str(settings.home / "warehouse.duckdb")) as db:
        db.execute("update raw.customers set mobile = '9', _seen_at = ?", [datetime.now(UTC)])
    change(settings, record, "3")
    assert push(settings).exit_code == 0
    assert service.records["customers"][record]["mobile"] == "3"


@pytest.mark.parametrize(("who", "mobile"), [("ours", "3"), ("theirs", "2")])
def test_a_parked_conflict_is_decided_by_a_later_push(settings, service, who, mobile, record):
    service.records["customers"][record]["mobile"] = "2"
    change(settings, record, "3")
    assert push(settings).exit_code == 1
    push(settings, on_conflict=who)
    assert service.records["customers"][record]["mobile"] == mobile
    assert "conflict" not in states(settings)


def test_a_record_that_shows_a_name_where_an_id_was_sent_is_no_conflict(settings, service):
    product = service.put("products", name="Screen", category="Parts")
    for category in ("7", "8"):
        enqueue(
            "products",
            "update",
            {"category": category, "stockQuantity": 1},  # one that acts: never merged
            record_id=product,
            settings=settings,
        )
    row = service.records["products"][product]
    service.then = lambda body: row.update(category=f"Category {body['category']}")
    assert push(settings).exit_code == 0
    assert service.records["products"][product]["category"] == "Category 8"


def test_a_model_that_names_its_make_is_found_again(settings, service):
    brand = service.put("brands", name="Acme")

    def named(body):
        for row in service.records["models"].values():
            row |= {"make": "Acme", "model": body["name"]}
            row.pop("brand", None)

    service.then = named
    body = {"brand": brand, "name": "A 1", "status": "Active"}
    enqueue("models", "create", body, settings=settings)
    service.lose = ["after"]
    assert push(settings).exit_code == 0
    assert service.count("create", "models") == 1


@pytest.mark.parametrize("kept", [html.escape, str.upper, lambda text: text.replace(" ", "")])
def test_a_name_the_service_keeps_otherwise_is_ours_and_an_edit_is_not(
    settings, service, record, kept
):
    row = service.records["customers"][record]
    service.then = lambda body: row.update(company=kept(body["company"]))
    for company in ("Núñez & Co.", "Núñez & Cía."):
        enqueue("customers", "update", {"company": company}, record_id=record, settings=settings)
    with Outbox(settings.home) as outbox:
        outbox.set([1, 2], "sent apart", alone=1)
    assert push(settings).exit_code == 0
    row["company"] = "Núñez"
    base = {"company": "Nunez"}
    body = {"company": "Nuñez"}
    enqueue("customers", "update", body, record_id=record, based_on=base, settings=settings)
    assert push(settings).exit_code == 1


def test_a_number_the_service_spells_with_its_country_is_ours(settings, service, record):

    def dialled(body):
        for row in service.records["customers"].values():
            row["mobile"] = "+502" + row["mobile"].removeprefix("+502").replace("-", "")

    service.then = dialled
    for mobile in ("5551-0001", "5551-0002"):
        change(settings, record, mobile)
        assert push(settings).exit_code == 0
    enqueue("customers", "create", {"name": "Bo", "mobile": "5551-0003"}, settings=settings)
    service.lose = ["after"]
    assert push(settings).exit_code == 0
    assert service.count("create", "customers") == 1
