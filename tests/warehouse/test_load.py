"""Loading: what the warehouse holds after loads of every kind."""

import shutil
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from pipelines.home import HomeError
from pipelines.load.loader import Loader
from pipelines.load.tables import FORMAT
from pipelines.publish.publish import publish
from sources.repair_shop.change_log import ChangeLog
from sources.repair_shop.schema.arrow import empty_tables
from sources.repair_shop.schema.endpoints import ENDPOINTS
from tests.homes import shop_of
from tests.ledgers import START, ZONE, LoadedHome

DECLARED = {name: rows for table in ENDPOINTS for name, rows in empty_tables(table).items()}


def types(loaded: LoadedHome, table: str) -> dict[str, str]:
    columns = "SELECT column_name, data_type FROM information_schema.columns"
    where = f"WHERE table_schema = 'raw' AND table_name = '{table}'"
    return dict(loaded.query(f"{columns} {where}"))


def test_every_table_stands_with_typed_columns_before_any_row(loaded):
    loaded.feed.load_waiting()
    with loaded.home.open_build(read_only=True):  # once for all tables
        for table, rows in DECLARED.items():
            assert set(types(loaded, table)) == {*rows.column_names, "_dlt_load_id"}, table
    assert types(loaded, "ticket_invoices")["amount_total"] == "DECIMAL(28,4)"
    assert types(loaded, "ticket_invoices")["_deleted_at"] == "TIMESTAMP WITH TIME ZONE"
    assert types(loaded, "tickets__lines")["quantity"] == "DECIMAL(28,4)"
    assert "parent_id" in types(loaded, "ticket_invoices__returns__lines")


def test_columns_declared_since_are_added_also_to_lists_without_news(loaded):
    loaded.load("brands", {"id": "b"})
    with loaded.home.open_build() as connection:
        connection.execute("ALTER TABLE raw.customers DROP COLUMN gender")
        connection.execute("DROP TABLE raw.tickets__lines")
        connection.execute("DROP TABLE raw._dlt_version")  # as if dlt never knew them
        connection.execute("DROP TABLE raw._dlt_pipeline_state")
    loaded.open()
    loaded.feed.load_waiting()
    assert types(loaded, "customers")["gender"] == "VARCHAR"
    assert types(loaded, "tickets__lines")["quantity"] == "DECIMAL(28,4)"


def test_rows_arrive_with_their_nested_lists_and_exact_money(loaded):
    invoice = {
        "id": "i1",
        "number": 17,
        "amount_total": "Q1,234.50",
        "created_date": "2026-02-28T23:59:59-0600",
        "customer": {"id": "c1", "name": "Ana"},
        "lines": [{"id": 1, "quantity": 1, "total": 1000}, {"id": 2, "total": "234.5"}],
        "returns": [{"id": "r1", "amount": 7, "lines": [{"id": 9, "total": 7}]}],
    }
    loaded.load("ticket_invoices", invoice)
    assert loaded.feed.rows == 1
    assert loaded.feed.new_columns == set()
    assert loaded.query(
        "SELECT id, number, amount_total, customer__name FROM raw.ticket_invoices"
    ) == [("i1", "17", Decimal("1234.5000"), "Ana")]
    lines = "SELECT sum(total), count(*), min(parent_id), min(shop_id) FROM raw.{}__lines"
    held = loaded.query(lines.format("ticket_invoices"))
    assert held == [(Decimal("1234.5000"), 2, "i1", "main")]
    assert loaded.query("SELECT total FROM raw.ticket_invoices__returns__lines") == [(Decimal(7),)]
    tables = loaded.query(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'raw'"
    )
    assert {name for (name,) in tables if not name.startswith("_dlt")} == set(DECLARED)


def test_loads_merge_what_is_newer_and_tell_deletions_once(loaded):
    """Lines also by none. No older answer overwrites a newer row, nor when both are loaded
    together, or again: from what was set aside, or waits. But a clock set back keeps none out:
    rows that a wrong one dated a month ahead would refuse every change for a month."""
    ahead = int((datetime.now(UTC) - START) / timedelta(minutes=1)) + 30 * 24 * 60
    first = {"id": "t1", "short_info": "old", "lines": [{"id": 1}, {"id": 2}]}
    loaded.answer("tickets", first, {"id": "t2", "lines": [{"id": 7}]})
    loaded.answer("categories", {"id": "b", "name": "1"}, {"id": "B", "name": "other case"})
    loaded.answer("categories", {"id": "b", "name": "2"}, minute=1)
    loaded.answer("suppliers", {"id": "a", "name": "A"}, {"id": "b", "name": "B"}, {"id": "c"})
    loaded.load("groups", {"id": "b", "name": "dated ahead"}, minute=ahead)
    categories = "SELECT id, name FROM raw.categories ORDER BY 1"
    assert loaded.query(categories) == [("B", "other case"), ("b", "2")]

    loaded.answer("tickets", first | {"short_info": "new", "lines": [{"id": 3}]}, minute=1)
    loaded.answer("categories", {"id": "b", "name": "3"}, minute=5)
    loaded.answer("groups", {"id": "b", "name": "edited since"})
    loaded.ledger.mark_gone("main", "suppliers", ["a", "b", "nobody"])
    loaded.feed.load_waiting()
    lines = "SELECT id FROM raw.tickets__lines ORDER BY 1"
    assert loaded.query("SELECT short_info FROM raw.tickets WHERE id = 't1'") == [("new",)]
    assert loaded.query(lines) == [("3",), ("7",)]
    assert loaded.query("SELECT name FROM raw.groups") == [("edited since",)]
    gone = "SELECT id, name FROM raw.suppliers WHERE _deleted_at NOTNULL ORDER BY 1"
    assert loaded.query(gone) == [("a", "A"), ("b", "B")]
    before = loaded.feed.rows
    loaded.feed.load_waiting()
    assert loaded.feed.rows == before

    loaded.feed.at = {}
    loaded.answer("tickets", first | {"lines": []}, minute=2)
    loaded.load("suppliers", {"id": "a", "name": "A"}, minute=9)
    assert loaded.query(lines) == [("7",)]
    assert loaded.query(categories) == [("B", "other case"), ("b", "3")]
    assert loaded.query(gone) == [("b", "B")]


def test_fields_that_appear_or_change_type_lose_nothing(loaded):
    odd: list[dict[str, Any]] = [
        {"id": "1", "loyalty": 5},
        {"id": "2", "loyalty": "2026-01-01T00:00:00Z"},
        {"id": "3", "loyalty": 1.5, "visits": [{"day": "Mon", "tags": ["a", "b"]}]},
        {"id": "4", "loyalty": {"level": 2}},
        {"id": "5", "loyalty": "gold", "credit_limit": "a lot", "颜色": "red", "型号": "X1"},
        {"id": "6", "customer_group": "VIP", "name": ["x"], "_dlt_id": "mine"},
    ]
    for number in (0, 2, 4):
        loaded.answer("customers", odd[number], minute=number)
        loaded.load("customers", odd[number + 1], minute=number + 1)
    loaded.load("customers", {"id": "7", "型号": "X2"}, minute=7)  # a column of the day before
    assert "customers.loyalty" in loaded.feed.new_columns
    found = loaded.query("SELECT loyalty FROM raw.customers WHERE id < '6' ORDER BY id")
    assert found == [("5",), ("2026-01-01T00:00:00Z",), ("1.5",), ('{"level": 2}',), ("gold",)]
    found = loaded.query("SELECT visits FROM raw.customers WHERE id = '3'")
    assert found == [('[{"day": "Mon", "tags": ["a", "b"]}]',)]
    found = loaded.query("SELECT _unreadable FROM raw.customers WHERE id = '5'")
    assert found == [('{"credit_limit": "a lot"}',)]
    assert loaded.query("SELECT group__name FROM raw.customers WHERE id = '6'") == [("VIP",)]
    found = loaded.query("SELECT 颜色, 型号 FROM raw.customers WHERE id IN ('5', '7') ORDER BY id")
    assert found == [("red", "X1"), (None, "X2")]
    assert not any("__v_" in name for name in types(loaded, "customers"))


def test_a_row_that_cannot_be_loaded_is_told_as_text_and_later_loads_work(loaded):
    """A column that somebody made of another type in the warehouse refuses its values."""
    with loaded.home.open_build() as connection:
        connection.execute("ALTER TABLE raw.payments ALTER payment_note TYPE INTEGER")
    odd = {"id": 2, "amount": 5, "payment_note": "no number"}
    loaded.load("payments", {"id": 1, "amount": 10}, odd)
    [(noted,)] = loaded.query("SELECT _unreadable FROM raw.payments WHERE id = '2'")
    assert "no number" in noted
    loaded.answer("payments", {"id": 3, "amount": 5}, minute=2)
    loaded.load("brands", {"id": "b"}, minute=2)
    assert loaded.query("SELECT sum(amount) FROM raw.payments") == [(Decimal(15),)]
    with loaded.home.open_build() as connection:
        connection.execute("ALTER TABLE raw.payments ALTER payment_note TYPE VARCHAR")
    loaded.open()
    loaded.load("payments", {"id": 2, "amount": 5, "payment_note": "a number"}, minute=3)
    found = loaded.query("SELECT sum(amount), count(payment_note) FROM raw.payments")
    assert found == [(Decimal(20), 1)]


def test_ops_tables_are_replaced_whole(loaded):
    loader = loaded.loader
    row = {"shop_id": "main", "report": "daily_sales", "period": date(2026, 1, 2)}
    row |= {"total": Decimal("12.3400"), "fetched_at": START}
    loader.write_ops("service_reports", [row])
    loader.write_ops("service_reports", [row])
    held = loaded.query("SELECT period, total FROM ops.service_reports")
    assert held == [(date(2026, 1, 2), Decimal("12.34"))]
    findings = [{"name": "x", "records": 1, "meaning": {"a": [1]}}, {"name": "y"}]
    loader.write_ops("findings", findings)
    held = loaded.query("SELECT * FROM ops.findings ORDER BY 1")
    assert held == [("x", 1, '{"a": [1]}'), ("y", None, None)]
    loader.write_ops("findings", [])
    assert loaded.query("SELECT count(*) FROM ops.findings") == [(0,)]


def test_a_file_of_a_newer_version_is_left_alone(home, loaded):
    with home.open_build() as connection:
        connection.execute("UPDATE ops.meta SET value = ? WHERE name = 'format'", [str(FORMAT + 1)])
    with pytest.raises(HomeError, match="newer version of shopmirror"):
        Loader(home).prepare()


def test_a_lost_private_file_is_the_published_one_again_and_dlt_may_forget_all(home, loaded):
    loaded.load("brands", {"id": "a", "odd": "x"})
    assert home.dlt_dir.is_dir()
    names = {p.name.partition("-")[0] for p in home.path.iterdir()}
    assert names == {".gitignore", "build", "logs", "mirror.sqlite", "sync.lock"}
    publish(home)
    loaded.load("brands", {"id": "a", "odd": "z"}, {"id": "b"}, minute=1)
    held, brands = [("a", "z"), ("b", None)], "SELECT id, odd FROM raw.brands ORDER BY 1"
    assert loaded.query(brands) == held
    home.build_warehouse.unlink()
    for file in home.dlt_dir.rglob("*.json"):
        file.write_text("{", encoding="utf-8")
    loaded.open()
    assert loaded.query(brands) == [("a", "x")]
    loaded.load("brands", {"id": "c", "odd": "y"}, minute=2)
    assert loaded.query(brands) == [*held, ("c", "y")]
    assert len(list(home.dlt_dir.rglob("loaded/*"))) <= 1
    shutil.rmtree(home.dlt_dir)
    loaded.open()
    loaded.load("brands", {"id": "d"}, minute=3)
    assert loaded.query(brands) == [*held, ("c", "y"), ("d", None)]


def test_every_page_of_a_long_list_is_loaded(loaded):
    """Pages become tables some at a time, and are loaded some at a time: none falls between."""
    loaded.feed.batch = 2
    for page in range(3):
        loaded.answer("brands", {"id": f"a{page}"}, {"id": f"b{page}"}, minute=page)
    loaded.feed.load_waiting()
    assert loaded.query("SELECT count(*), count(DISTINCT id) FROM raw.brands") == [(6, 6)]


def test_many_small_shops_are_one_table_and_each_row_stays_its_shops(loaded):
    """A table a shop is a file and a job each; ids repeat from shop to shop, and fields differ."""
    loaded.shops = [shop_of(f"shop{number}", timezone=ZONE) for number in range(30)]
    for number in range(30):
        rows = {"id": "1", "short_info": str(number), f"own{number % 3}": "x", "lines": [{"id": 1}]}
        loaded.answer("tickets", rows, shop=f"shop{number}")
    read = ChangeLog(loaded.ledger, loaded.shops)
    (tables,) = read.read("tickets", {}, read.end())
    held = tables["tickets"].select(["shop_id", "short_info", "own1"]).to_pylist()
    named = [(row["shop_id"], row["short_info"]) for row in held]
    assert named == [(f"shop{n}", str(n)) for n in range(30)]
    assert [row["own1"] for row in held] == [None, "x", None] * 10
    assert tables["tickets__lines"].num_rows == 30


def test_rows_that_came_with_a_ledger_that_was_lost_are_not_doubled(loaded):
    """Of a shop that was left out meanwhile, and one that was gone and is back."""

    def begin(*shops):
        loaded.shops = [shop_of(shop, timezone=ZONE) for shop in shops]
        loaded.ledger.close()
        loaded.open()

    begin("main", "norte")
    loaded.answer("customers", {"id": "1"}, shop="norte")
    loaded.load("customers", {"id": "1"}, {"id": "2"})
    loaded.ledger.mark_gone("main", "customers", ["2"])
    loaded.feed.load_waiting()
    for file in loaded.home.path.glob("mirror.sqlite*"):
        file.unlink()
    begin("main")
    loaded.load("customers", {"id": "3"}, kind="full", minute=3)
    loaded.load("customers", {"id": "2"}, kind="full", minute=4)
    begin("main", "norte")
    loaded.load("customers", {"id": "1"}, shop="norte", kind="full", minute=5)
    found = loaded.query("SELECT shop_id, id, _deleted_at FROM raw.customers ORDER BY ALL")
    assert found == [(*row, None) for row in [*(("main", n) for n in "123"), ("norte", "1")]]


def test_rows_that_need_more_memory_than_a_load_may_hold_are_loaded(loaded):
    loaded.loader.blocks = 400
    text = "x" * 300_000
    with loaded.home.open_build() as file:
        loaded.load("customers", *({"id": str(n), "notes": f"{n}{text}"} for n in range(12)))
        (log,) = file.execute("SELECT current_setting('wal_autocheckpoint')").fetchone()
    assert log == "15.2 MiB", "dlt's 1 GB has all rows written twice"
    assert loaded.query("SELECT count(*) FROM raw.customers") == [(12,)]
