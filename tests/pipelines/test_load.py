"""Loading: what the warehouse holds after loads of every kind."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import duckdb
import pytest

from pipelines.home import Home, HomeError
from pipelines.load.loader import Loader, LoadError
from pipelines.load.ops import FORMAT
from pipelines.publish.publish import publish
from sources.repair_shop.schema.columns import TABLES
from sources.repair_shop.schema.endpoints import ENDPOINTS
from sources.repair_shop.source import declared_tables
from tests.pipelines.conftest import START, cleaned


def query(home: Home, sql: str) -> list[tuple[Any, ...]]:
    with home.open_build(read_only=True) as connection:
        return connection.execute(sql).fetchall()


def types(home: Home, table: str) -> dict[str, str]:
    return dict(
        query(
            home,
            "SELECT column_name, data_type FROM information_schema.columns "
            f"WHERE table_schema = 'raw' AND table_name = '{table}'",
        )
    )


def test_every_table_stands_with_typed_columns_before_any_row(home: Home, loader: Loader) -> None:
    loader.prepare()
    assert set(TABLES) == set(ENDPOINTS)
    for table, columns in declared_tables().items():
        held = types(home, table)
        assert held == {name: kind.removesuffix(" NOT NULL") for name, kind in columns.items()}
    assert types(home, "ticket_invoices")["amount_total"] == "DECIMAL(28,4)"
    assert types(home, "tickets__lines")["quantity"] == "DECIMAL(28,4)"
    assert "parent_id" in types(home, "ticket_invoices__returns__lines")


def test_prepare_twice_changes_nothing_and_adds_columns_declared_since(
    home: Home, loader: Loader
) -> None:
    loader.prepare()
    with home.open_build() as connection:
        connection.execute("ALTER TABLE raw.customers DROP COLUMN gender")
    Loader(home, ["main"]).prepare()
    assert types(home, "customers")["gender"] == "VARCHAR"


def test_rows_arrive_with_their_nested_lists_and_exact_money(home: Home, loader: Loader) -> None:
    invoice = {
        "id": "i1",
        "number": 17,
        "amount_total": "Q1,234.50",
        "created_date": "2026-02-28T23:59:59-0600",
        "customer": {"id": "c1", "name": "Ana"},
        "lines": [{"id": 1, "quantity": 1, "total": 1000}, {"id": 2, "total": "234.5"}],
        "returns": [{"id": "r1", "amount": 7, "lines": [{"id": 9, "total": 7}]}],
    }
    outcome = loader.load({"ticket_invoices": cleaned("ticket_invoices", invoice), "users": []})
    assert dict(outcome.rows) == {"ticket_invoices": 1}
    assert outcome.new_columns == ()
    assert query(
        home, "SELECT id, number, amount_total, customer__name FROM raw.ticket_invoices"
    ) == [("i1", "17", Decimal("1234.5000"), "Ana")]
    assert query(
        home,
        "SELECT sum(total), count(*), min(parent_id), min(shop_id) FROM raw.ticket_invoices__lines",
    ) == [(Decimal("1234.5000"), 2, "i1", "main")]
    assert query(home, "SELECT total FROM raw.ticket_invoices__returns__lines") == [(Decimal(7),)]
    names = {
        name
        for (name,) in query(
            home, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'raw'"
        )
    }
    assert {name for name in names if not name.startswith("_dlt")} == set(declared_tables())


def test_merging_replaces_the_row_and_its_lines(home: Home, loader: Loader) -> None:
    first = {"id": "t1", "short_info": "old", "lines": [{"id": 1}, {"id": 2}]}
    loader.load({"tickets": cleaned("tickets", first)})
    second = {"id": "t1", "short_info": "new", "lines": [{"id": 3}]}
    loader.load({"tickets": cleaned("tickets", second, minute=1)})
    assert query(home, "SELECT short_info FROM raw.tickets") == [("new",)]
    assert query(home, "SELECT id FROM raw.tickets__lines") == [("3",)]


def test_of_several_answers_in_a_batch_the_last_fetched_stays(home: Home, loader: Loader) -> None:
    rows = cleaned(
        "brands",
        {"id": "b", "name": "1"},
        {"id": "b", "name": "2"},
        {"id": "B", "name": "other case"},
    )
    loader.load({"brands": [rows[1], rows[0], rows[2]]})
    found = query(home, "SELECT id, name FROM raw.brands ORDER BY 1")
    assert found == [("B", "other case"), ("b", "2")]


def test_an_older_answer_never_overwrites_a_newer_row(home: Home, loader: Loader) -> None:
    loader.load({"brands": cleaned("brands", {"id": "b", "name": "new"}, minute=5)})
    late = cleaned("brands", {"id": "b", "name": "old"}, {"id": "c", "name": "c"}, minute=1)
    outcome = loader.load({"brands": late})
    assert dict(outcome.outdated) == {"brands": 1}
    assert query(home, "SELECT name FROM raw.brands ORDER BY id") == [("new",), ("c",)]


def test_a_clock_set_back_keeps_no_answer_out(home: Home, loader: Loader) -> None:
    """Rows that a wrong clock dated a month ahead would refuse every change for a month."""
    (ahead,) = cleaned("brands", {"id": "b", "name": "dated ahead"})
    now = datetime.now(UTC)
    loader.load({"brands": [{**ahead, "_seen_at": now + timedelta(days=30)}]})
    (right,) = cleaned("brands", {"id": "b", "name": "edited since"})
    loader.load({"brands": [{**right, "_seen_at": now}]})
    assert query(home, "SELECT name FROM raw.brands") == [("edited since",)]


def test_shops_share_tables_and_keep_their_rows(home: Home) -> None:
    loader = Loader(home, ["centro", "norte"])
    rows = [
        *cleaned("customers", {"id": "1", "name": "Ana"}, shop="centro"),
        *cleaned("customers", {"id": "1", "name": "Eva"}, shop="norte"),
    ]
    loader.load({"customers": rows})
    loader.mark_deleted("customers", "norte", ["1"], START)
    found = query(home, "SELECT shop_id, name, _deleted_at IS NULL FROM raw.customers ORDER BY 1")
    assert found == [("centro", "Ana", True), ("norte", "Eva", False)]


def test_fields_that_appear_or_change_type_lose_nothing(home: Home, loader: Loader) -> None:
    odd: list[dict[str, Any]] = [
        {"id": "1", "loyalty": 5},
        {"id": "2", "loyalty": "2026-01-01T00:00:00Z"},
        {"id": "3", "loyalty": 1.5, "visits": [{"day": "Mon", "tags": ["a", "b"]}]},
        {"id": "4", "loyalty": {"level": 2}},
        {"id": "5", "loyalty": "gold", "credit_limit": "a lot"},
        {"id": "6", "customer_group": "VIP", "name": ["x"], "_dlt_id": "mine"},
    ]
    outcomes = [
        loader.load({"customers": cleaned("customers", row, minute=number)})
        for number, row in enumerate(odd)
    ]
    assert "customers.loyalty" in outcomes[0].new_columns
    assert not any(name.split(".")[1] == "loyalty" for name in outcomes[1].new_columns)
    found = dict(query(home, "SELECT id, loyalty FROM raw.customers"))
    assert found["1"] == "5"
    assert found["2"] == "2026-01-01T00:00:00Z"
    assert found["3"] == "1.5"
    assert found["5"] == "gold"
    assert query(home, "SELECT loyalty__level FROM raw.customers WHERE id = '4'") == [("2",)]
    assert query(home, "SELECT day FROM raw.customers__visits") == [("Mon",)]
    assert query(home, "SELECT _unreadable FROM raw.customers WHERE id = '5'") == [
        ('{"credit_limit": "a lot"}',)
    ]
    assert query(home, "SELECT group__name FROM raw.customers WHERE id = '6'") == [("VIP",)]
    assert not any("__v_" in name for name in types(home, "customers"))


def test_fields_of_other_scripts_are_columns_of_their_own_names_night_after_night(
    home: Home, loader: Loader
) -> None:
    loader.load({"customers": cleaned("customers", {"id": "1", "颜色": "red", "型号": "X1"})})
    loader.load({"customers": cleaned("customers", {"id": "2", "型号": "X2"}, minute=1)})
    assert query(home, "SELECT id, 颜色, 型号 FROM raw.customers ORDER BY id") == [
        ("1", "red", "X1"),
        ("2", None, "X2"),
    ]


def test_a_value_that_cannot_fit_is_refused_whole_and_later_loads_work(
    home: Home, loader: Loader
) -> None:
    loader.load({"payments": cleaned("payments", {"id": 1, "amount": 10})})
    broken = cleaned("payments", {"id": 2, "amount": 5}, {"id": 3, "amount": 6}, minute=1)
    broken[1]["amount"] = "not cleaned"
    with pytest.raises(LoadError, match=r"payments.*amount"):
        loader.load({"payments": broken})
    assert query(home, "SELECT id FROM raw.payments") == [("1",)]
    loader.load({"payments": cleaned("payments", {"id": 2, "amount": 5}, minute=2)})
    assert query(home, "SELECT sum(amount) FROM raw.payments") == [(Decimal(15),)]


def test_an_error_of_the_rows_themselves_comes_through(home: Home, loader: Loader) -> None:
    class Gone(Exception):
        exit_code = 3

    def rows() -> Any:
        yield from cleaned("brands", {"id": "1"})
        raise Gone("the pages are gone")

    with pytest.raises(Gone, match="the pages are gone"):
        loader.load({"brands": rows()})
    loader.load({"brands": cleaned("brands", {"id": "2"})})
    assert query(home, "SELECT id FROM raw.brands") == [("2",)]


def test_marks_of_deletion_are_set_once_and_taken_away_when_the_row_comes_back(
    home: Home, loader: Loader
) -> None:
    loader.load({"brands": cleaned("brands", {"id": "a"}, {"id": "b"}, {"id": "c"})})
    assert loader.mark_deleted("brands", "main", ["a", "b", "nobody"], START) == 2
    assert loader.mark_deleted("brands", "main", ["a"], START) == 0
    loader.load({"brands": cleaned("brands", {"id": "a"}, minute=9)})
    assert loader.mark_deleted("brands", "main", ["b"], None) == 1
    assert query(home, "SELECT count(*) FROM raw.brands WHERE _deleted_at IS NOT NULL") == [(0,)]
    with pytest.raises(LoadError, match="no raw table"):
        loader.mark_deleted("brands; drop", "main", ["a"], START)


def test_unknown_tables_are_refused(loader: Loader) -> None:
    with pytest.raises(LoadError, match="no raw table nonsense"):
        loader.load({"nonsense": []})


def test_ops_tables_are_replaced_whole(home: Home, loader: Loader) -> None:
    loader.prepare()
    rows = [
        {
            "shop_id": "main",
            "report": "daily_sales",
            "period": date(2026, 1, 2),
            "total": Decimal("12.3400"),
            "fetched_at": START,
        }
    ]
    loader.write_ops("service_reports", rows)
    loader.write_ops("service_reports", rows)
    assert query(home, "SELECT period, total FROM ops.service_reports") == [
        (date(2026, 1, 2), Decimal("12.34"))
    ]
    findings = [{"name": "x", "records": 1, "meaning": {"a": [1]}}, {"name": "y"}]
    loader.write_ops("findings", findings)
    assert query(home, "SELECT * FROM ops.findings ORDER BY 1") == [
        ("x", 1, '{"a": [1]}'),
        ("y", None, None),
    ]
    loader.write_ops("findings", [])
    assert query(home, "SELECT count(*) FROM ops.findings") == [(0,)]


def test_what_dlt_leaves_of_each_load_does_not_pile_up(home: Home) -> None:
    for night in range(3):
        Loader(home, ["main"]).load({"brands": cleaned("brands", {"id": str(night)})})
    assert len(list(home.dlt_dir.rglob("loaded/*"))) == 1
    assert len(query(home, "SELECT id FROM raw.brands")) == 3


def test_a_deleted_warehouse_is_built_anew(home: Home, loader: Loader) -> None:
    loader.load({"brands": cleaned("brands", {"id": "a", "odd": "x"})})
    home.build_warehouse.unlink()
    anew = Loader(home, ["main"])
    anew.load({"brands": cleaned("brands", {"id": "b", "odd": "y"})})
    assert query(home, "SELECT id, odd FROM raw.brands") == [("b", "y")]


def test_loading_goes_on_after_publishing(home: Home, loader: Loader) -> None:
    loader.load({"brands": cleaned("brands", {"id": "a", "odd": "x"})})
    publish(home)
    loader.load({"brands": cleaned("brands", {"id": "a", "odd": "z"}, {"id": "b"}, minute=1)})
    assert query(home, "SELECT id, odd FROM raw.brands ORDER BY 1") == [("a", "z"), ("b", None)]


def test_a_file_of_a_newer_version_is_left_alone(home: Home, loader: Loader) -> None:
    loader.prepare()
    with home.open_build() as connection:
        connection.execute("UPDATE ops.meta SET value = ? WHERE name = 'format'", [str(FORMAT + 1)])
    with pytest.raises(HomeError, match="newer version of shopmirror"):
        Loader(home, ["main"]).prepare()


def test_a_damaged_file_is_named(home: Home) -> None:
    home.build_warehouse.write_bytes(b"not a database" * 1000)
    with pytest.raises(HomeError, match="damaged"):
        Loader(home, ["main"]).prepare()


def test_dlt_memory_that_was_cut_off_is_rebuilt(home: Home, loader: Loader) -> None:
    loader.load({"brands": cleaned("brands", {"id": "a", "odd": "x"})})
    for file in home.dlt_dir.rglob("*.json"):
        file.write_text("{", encoding="utf-8")
    Loader(home, ["main"]).load({"brands": cleaned("brands", {"id": "b", "odd": "y"}, minute=1)})
    assert query(home, "SELECT id, odd FROM raw.brands ORDER BY 1") == [("a", "x"), ("b", "y")]


def test_nothing_is_written_outside_the_home_folder(home: Home, loader: Loader) -> None:
    loader.load({"brands": cleaned("brands", {"id": "a"})})
    assert home.dlt_dir.is_dir()
    assert {p.name for p in home.path.iterdir()} == {"build", "logs"}


def test_a_file_that_another_process_uses_is_named(home: Home, loader: Loader) -> None:
    import subprocess
    import sys

    loader.prepare()
    script = (
        "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); "
        "sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(home.build_warehouse)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(HomeError, match="in use by another process"), home.open_build():
            pass
        other.communicate(b"")
    assert duckdb.connect(str(home.build_warehouse), read_only=True)
