"""What a service says wrongly for a while deletes, ends and mixes up nothing."""

from contextlib import closing
from pathlib import Path

import pytest

from sources.repair_shop.ledger import Ledger
from tests.fakes.loopback import Loopback, Reply


def rows_of(count, prefix="c", **more):
    return [
        {
            "id": f"{prefix}-{n}",
            "name": f"{prefix} {n}",
            "created_date": f"2026-0{1 + n // 28 % 9}-{1 + n % 28:02d}",
            **more,
        }
        for n in range(count)
    ]


def gone(lists, table):
    return {row for (row,) in lists.query(f"SELECT id FROM raw.{table} WHERE _deleted_at NOTNULL")}


def held(lists, table):
    return {row for (row,) in lists.query(f"SELECT id FROM raw.{table} WHERE _deleted_at IS NULL")}


def test_open_orders_whose_own_paths_are_missing_for_a_night_are_not_deleted(lists):
    orders = rows_of(9, "po", status="Ordered")
    lists.rows["/purchaseOrders"] = orders
    lists.run("purchase_orders")
    healed = lists.answer
    lists.loopback.otherwise = lambda seen: (
        Reply(404, {"error": "Not found"}) if "/purchaseOrders/" in seen.path else healed(seen)
    )
    for _ in range(2):
        lists.run("purchase_orders")
    assert gone(lists, "purchase_orders") == set()


def test_a_list_of_deleted_shipments_that_shows_the_live_ones_deletes_none(lists):
    lists.rows["/shipments"] = lists.rows["/shipments/deleted"] = rows_of(16, "s")
    for _ in range(2):
        lists.run("shipments", "shipments_deleted")
    assert gone(lists, "shipments") == set()


def test_one_refusal_behind_a_full_page_ends_no_list(lists):
    """In words that ended other lists."""
    refused = []
    healed = lists.answer

    def answer(seen):
        reply = healed(seen)
        is_edits = seen.path.endswith("/products/updated")
        is_second = dict(seen.query).get("page") == "2"
        if is_edits and is_second and not refused:
            refused.append(seen)
            return Reply(400, {"error": "No records"})
        return reply if reply.body != b"[]" else Reply(400, {"error": "No records"})

    lists.loopback.otherwise = answer
    lists.rows["/products"] = products = rows_of(120, "p", code="a")
    lists.run("products")
    for row in products[:90]:
        row["code"] = "b"
    lists.rows["/products/updated"] = products[:90]
    lists.run("products")
    assert refused
    assert lists.query("SELECT count(*) FROM raw.products WHERE code = 'b'") == [(90,)]


def test_rows_of_another_list_are_asked_again_and_never_stored(lists):
    lists.rows["/payments"] = [
        {"id": 7_000_000 + n, "amount": 5, "date": "2026-03-04", "payment_method": "Cash"}
        for n in range(60)
    ]
    orders = [row | {"number": row["id"], "amount_total": 5} for row in rows_of(60, "o")]
    lists.rows["/posOrders"] = orders
    lists.run("payments", "pos_orders")
    orders.append(orders[-1] | {"id": "o-new", "created_date": "2026-09-28"})
    healed, mixed = lists.answer, []

    def answer(seen):
        if seen.path.endswith("/posOrders") and not mixed:
            mixed.append(seen)
            return Reply(body=lists.rows["/payments"][:50])
        return healed(seen)

    lists.loopback.otherwise = answer
    lists.run("pos_orders")
    assert mixed
    assert held(lists, "pos_orders") == {row["id"] for row in orders}
    assert gone(lists, "pos_orders") == set()


def test_rows_without_a_field_that_all_before_had_are_no_rows_of_another_list(lists):
    """Though they then look like those of another list."""
    titled = [{"id": n, "title": f"Title {n}", "created_date": "2026-03-04"} for n in range(5)]
    lists.rows["/paymentMethods"] = titled
    lists.rows["/groups"] = [row | {"vip": True} for row in titled]
    lists.run("payment_methods", "groups")
    lists.rows["/groups"] = [row | {"id": row["id"] + 100} for row in titled]
    for _ in range(2):  # what is gone is believed at its second sighting
        lists.run("payment_methods", "groups")
    assert {f"{n}" for n in range(100, 105)} <= held(lists, "groups")


def test_a_list_that_fails_once_more_than_it_is_asked_is_read_at_the_end_of_the_run(lists):
    lists.rows["/brands"] = rows_of(5, "b")
    healed, asked = lists.answer, []

    def answer(seen):
        asked.append(seen.path)
        is_first = asked.count(seen.path) == 1
        is_brands = seen.path.endswith("/brands")
        return Reply(body={"error": "please"}) if is_brands and is_first else healed(seen)

    lists.loopback.otherwise = answer
    lists.run("groups", "brands")
    assert len(held(lists, "brands")) == 5


def test_a_list_whose_order_moves_while_it_is_read_is_read_on_and_once_more(lists):
    payments = [
        {"id": n, "amount": 5, "date": f"2026-0{1 + n // 280}-{1 + n % 28:02d}"}
        for n in range(1000)
    ]
    lists.rows["/payments"] = sorted(payments, key=lambda row: row["date"])
    healed, asked = lists.answer, []

    def answer(seen):
        if seen.path.endswith("/payments"):
            asked.append(seen)
            rows = lists.rows["/payments"]
            if len(asked) % 2 and len(asked) < 40:
                for place in (3, 200, 500):
                    del rows[place]
                for n in range(2):
                    rows.insert(150, rows[150] | {"id": 10_000 + 2 * len(asked) + n})
        return healed(seen)

    lists.loopback.otherwise = answer
    lists.run("payments")
    there = {str(row["id"]) for row in lists.rows["/payments"] if row["id"] < 10_000}
    assert there <= held(lists, "payments")


def test_runs_of_few_requests_read_everything_after_enough_of_them(lists):
    tables = ("products", "statuses", "brands", "suppliers", "leads", "users", "expenses")
    for table in tables:
        lists.rows[f"/{table}"] = rows_of(60, table[:3])
    for _ in range(12):
        lists.run(*tables, max_requests=8)
        with closing(Ledger(lists.folder / "ledger" / "mirror.sqlite")) as ledger:
            outcome = ledger.last_runs(1)[0]["outcome"]
        if outcome != "stopped":
            break
    assert outcome == "complete"
    for table in tables:
        assert len(held(lists, table)) == 60, table


def test_one_shop_of_two_that_failed_fails_the_run_after_the_other_is_loaded(lists, tmp_path):
    lists.rows["/brands"] = rows_of(5, "b")
    with Loopback() as broken:
        broken.otherwise = lambda seen: Reply(401, {"error": "Invalid API key"})
        common = {"timezone": "UTC", "requests_per_minute": 100_000, "minute_seconds": 0.5}
        shops = {
            "norte": {"base_url": broken.base_url, "api_key": "one-key", **common},
            "sur": {"base_url": lists.loopback.base_url, "api_key": "another-key", **common},
        }
        given = {"shops": shops, "ledger_folder": str(Path(tmp_path) / "two")}
        lists.given = given
        with pytest.raises(Exception, match="key"):
            lists.run("brands")
    assert lists.query("SELECT DISTINCT shop_id FROM raw.brands") == [("sur",)]
