"""Running the models: quiet, complete, repeatable, and plain about what failed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import duckdb
import pytest
import time_machine
import yaml

from pipelines.transform.findings import MEANINGS
from pipelines.transform.models import PROJECT, ModelsFailed, build
from tests.few_models import build_few
from tests.homes import shop_of
from tests.warehouse import scenes
from tests.warehouse.conftest import Warehouse
from tests.warehouse.raw import Raw, raw_tables


def _documented(folder: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in (PROJECT / "models" / folder).glob("*.yml"):
        for model in yaml.safe_load(path.read_text(encoding="utf-8")).get("models", []):
            assert model["description"], model["name"]
            columns = model.get("columns", [])
            assert all(column["description"] for column in columns), model["name"]
            found[model["name"]] = {column["name"] for column in columns}
    return found


def _columns(warehouse: Warehouse, schema: str) -> dict[str, set[str]]:
    rows = warehouse.rows(
        "select table_name, column_name from information_schema.columns where table_schema = ?",
        schema,
    )
    found: dict[str, set[str]] = {}
    for table, column in rows:
        found.setdefault(str(table), set()).add(str(column))
    return found


def test_findings_that_do_not_spoil_the_figures_are_warnings(warehouse: Warehouse) -> None:
    found = warehouse.runs[1].findings
    assert found["unknown_days_and_amounts"] > 0
    assert "tickets_come_to_an_end" not in found
    assert found.keys() <= MEANINGS.keys()
    told = {path.stem for path in (PROJECT / "tests").glob("*.sql") if "warn" in path.read_text()}
    assert told == MEANINGS.keys()


def test_every_raw_table_is_staged_with_every_column(warehouse: Warehouse) -> None:
    staged = _columns(warehouse, "staging")
    assert staged.keys() == {name for name, _, _ in raw_tables()}
    for name, table, _ in raw_tables():
        kinds = list(table.kinds.values())
        # A moment becomes an instant and a day; the row's state is three columns, or one.
        assert len(staged[name]) >= len(kinds) + kinds.count("moment") + 2, name


def test_every_column_is_documented(warehouse: Warehouse) -> None:
    marts = _columns(warehouse, "marts")
    assert _documented("marts") == marts
    staged = {f"stg_{table}": columns for table, columns in _columns(warehouse, "staging").items()}
    assert _documented("staging") == staged
    assert _documented("ops") == {"unreadable": _columns(warehouse, "ops")["unreadable"]}
    assert _documented("intermediate").keys() == _columns(warehouse, "intermediate").keys()


def test_the_warehouse_itself_says_what_a_column_is(warehouse: Warehouse) -> None:
    silent = warehouse.rows(
        "select schema_name, table_name, column_name from duckdb_columns() "
        "where schema_name in ('staging', 'marts') and comment is null"
    )
    assert silent == []
    [(said,)] = warehouse.rows(
        "select comment from duckdb_columns() where schema_name = 'marts' and "
        "table_name = 'payments' and column_name = 'kind'"
    )
    assert "receivable" in str(said)


def test_the_columns_that_stay(warehouse: Warehouse) -> None:
    marts = _columns(warehouse, "marts")
    assert {"shop_id", "day", "total"} <= marts["daily_sales"] & marts["daily_purchases"]
    assert {"shop_id", "month", "total"} <= marts["monthly_sales"] & marts["monthly_purchases"]
    payments = "shop_id id day amount kind document_type document_id ticket_id"
    assert set(payments.split()) <= marts["payments"]
    compared = "shop_id report period ours theirs difference matches"
    assert set(compared.split()) <= marts["reconciliation"]


def test_the_overview_leads_to_tables_that_are_there() -> None:
    overview = (PROJECT / "models" / "overview.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"model\.shopmirror\.(\w+)", overview))
    assert linked > {"payments", "unreadable"}
    assert linked <= _documented("marts").keys() | _documented("ops").keys()


def test_a_shop_with_nothing_at_all_builds_quietly(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """And its settings reach the models; and nobody holds the file afterwards."""
    raw = Raw(tmp_path / "warehouse.duckdb")
    raw.execute("drop schema ops cascade")
    shop = shop_of(timezone="Asia/Tokyo", closed_weekdays="sun")
    run = build(raw.path, home=tmp_path, shops=[shop])
    assert run.models > 80
    assert run.findings == {}
    assert capfd.readouterr().out == ""
    assert raw.execute("select timezone from intermediate.int_shops") == [("Asia/Tokyo",)]
    assert raw.execute("select count(*) from marts.daily_sales") == [(0,)]
    assert raw.execute("select count(*) > 60 from marts.calendar") == [(True,)]
    # Of a technician the service may tell the number alone; no name is no account of the shop.
    raw.add("tickets", id="t1", technician__id="u1")
    build(raw.path, home=tmp_path, shops=[shop], select="tickets")
    told = raw.execute("select technician_id, is_unassigned from marts.tickets")
    assert told == [("u1", False)]
    # A model that cannot be built is named, with its file and the reason.
    raw.execute("alter table raw.payments drop column amount")
    with pytest.raises(ModelsFailed) as failed:
        build(raw.path, home=tmp_path, shops=[shop], select="stg_payments")
    assert failed.value.exit_code == 1
    for part in ("stg_payments", "models/staging/stg_payments.sql", "amount"):
        assert part in str(failed.value)
    with duckdb.connect(str(raw.path)) as connection:
        connection.execute("alter table raw.payments add column amount decimal(28, 4)")


@pytest.mark.parametrize(
    ("tax", "is_told"),
    [
        (lambda _n: 12, True),
        (lambda _n: None, True),
        (lambda n: 12 * n, False),
        (lambda n: (n + 5) // 6, False),  # of a low rate: several prices have one tax
    ],
)
def test_documents_that_say_no_amount_of_tax_are_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    tax: Callable[[int], int | None],
    is_told: bool,
) -> None:
    """But a rate in each of their lines, or nothing."""
    asked = ("intermediate.int_sales_lines", "marts.documents", "staging.tax_rates")
    build_few(monkeypatch, "taxes_are_amounts", *asked)
    raw = Raw(tmp_path / "warehouse.duckdb")
    raw.add("tax_rates", "vat", value=12)
    with raw.held():
        for number in range(1, 151):
            lines = [{"total": 112 * number, "tax": tax(number)}]
            raw.add("ticket_invoices", f"i{number}", amount_total=112 * number, lines=lines)
    run = build(raw.path, home=tmp_path, shops=[])
    assert ("taxes_are_amounts" in run.findings) == is_told


def test_a_record_of_many_fields_takes_no_gigabytes(tmp_path: Path) -> None:
    raw = Raw(tmp_path / "warehouse.duckdb")
    fields = {f"field_{number}": str(number) for number in range(10_000)}
    raw.add("customers", "c1", _unreadable=json.dumps(fields))
    build(raw.path, home=tmp_path, shops=[], select="unreadable", memory=100_000_000)
    found = raw.execute("select count(*), max(original) from ops.unreadable")
    assert found == [(10_000, "9999")]


def test_a_fault_of_the_data_stops_publishing(warehouse: Warehouse) -> None:
    raw = warehouse.raw
    raw.add("brands", "twice", "void")
    raw.add("brands", "twice", "void")
    try:
        with pytest.raises(ModelsFailed, match="staging_grain"):
            build(raw.path, home=warehouse.home, shops=[], select="staging_grain")
    finally:
        raw.execute("delete from raw.brands where id = 'twice'")


def test_a_mart_that_loses_or_changes_a_record_stops_publishing(warehouse: Warehouse) -> None:
    """Each layer's sums are held against the one before it: a mart is edited behind its back."""
    raw = warehouse.raw
    for edit in (
        "delete from marts.leads where id = 'l1'",
        "update marts.purchases set shipping_cost = shipping_cost + 1 where id = 'in'",
    ):
        with raw.held():
            table = edit.split("marts.")[1].split()[0]
            raw.execute(f"create or replace table main.kept as from marts.{table}")
            raw.execute(edit)
        try:
            with pytest.raises(ModelsFailed, match="records_in_equal_records_out"):
                build(
                    raw.path,
                    home=warehouse.home,
                    shops=[],
                    select="records_in_equal_records_out",
                )
        finally:
            with raw.held():
                raw.execute(f"delete from marts.{table}")
                raw.execute(f"insert into marts.{table} from main.kept")
                raw.execute("drop table main.kept")


@pytest.mark.parametrize(
    "word",
    [r"\bqualify\b", r"group by all", r"\barg_max\b", r"\bstrftime\b", r"filter \(", r"::"],
)
def test_the_models_keep_to_the_portable_subset(word: str) -> None:
    found = [
        str(path.relative_to(PROJECT))
        for folder in ("models", "tests")
        for path in (PROJECT / folder).rglob("*.sql")
        if re.search(word, path.read_text(encoding="utf-8"), re.IGNORECASE)
    ]
    assert found == []


def test_a_ticket_seen_done_by_a_clock_a_year_ahead_is_no_open_one_afterwards(
    tmp_path, monkeypatch
):
    build_few(monkeypatch, "marts.shop_days")
    raw = Raw(tmp_path / "warehouse.duckdb")
    raw.add("tickets", "t", created_date="2026-10-01", last_updated="2026-10-13", status__id="1")
    for days, label in ((0, "New"), (365, "Repaired"), (1, "Repaired")):
        raw.execute("update raw.tickets set status__label = ?", label)
        with time_machine.travel(scenes.NOW + timedelta(days=days)):
            build(raw.path, home=tmp_path, shops=[])
    assert raw.execute("select done_source, done_day from marts.tickets") == [
        ("last_updated", date(2026, 10, 13))
    ]
    [(open_ones,)] = raw.execute(
        "select arg_max(tickets_open, day) from marts.shop_days where shop_id = 'main'"
    )
    assert open_ones == 0
