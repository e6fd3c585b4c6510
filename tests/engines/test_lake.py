"""The files of dlt's destination `filesystem`, and the models on Spark over them."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines.destinations import spark
from pipelines.home import Home
from pipelines.transform import dbt, models
from tests.engines.beside import Beside, invoice
from tests.engines.equality import differences, same
from tests.engines.spark import Spark

_LISTS = ("lines", "payments", "returns", "returns__lines")
_READ = ("ticket_invoices", *(f"ticket_invoices__{name}" for name in _LISTS), "tickets")


def test_spark_builds_from_the_files_of_a_second_destination(
    tmp_path: Path, cluster: Spark, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = tmp_path / "lake"
    monkeypatch.setenv("DESTINATION__FILESYSTEM__BUCKET_URL", files.as_uri())
    monkeypatch.setenv("SHOPMIRROR_BUILT_AT", "2026-03-02 12:00:00")
    loaded = Beside(Home(tmp_path / "home"), name="filesystem")

    def night() -> None:
        models.prepare(loaded.home.build_warehouse, loaded.shops)
        loaded.give()

    invoices = invoice("a", "1.5", 2), invoice("b", "2", 1), invoice("c", "3", 1)
    loaded.load("ticket_invoices", *invoices)
    loaded.load("tickets", {"id": "t", "status": {"label": "New"}, "shoe_size": "44"})
    night()
    # A row changed twice and without its lines, one that is gone, a field that nobody declared.
    loaded.load("ticket_invoices", invoice("a", "1.6", 3), minute=1)
    loaded.load("ticket_invoices", invoice("a", "1.7", mood="fine"), minute=2)
    loaded.ledger.mark_gone("main", "ticket_invoices", ["b"])
    loaded.feed.load_waiting()
    night()
    _cut_off(files / "raw")
    models.build(loaded.home.build_warehouse, home=loaded.home.path, shops=loaded.shops)

    monkeypatch.setattr(dbt, "BUILD", ("run", "--select", "+monthly_sales"))
    spark.build(tmp_path, files.as_uri())

    compared = [("raw", table) for table in _READ]
    compared += [("marts", "monthly_sales"), ("marts", "sales_documents")]
    rows = 0
    with loaded.home.open_build(read_only=True) as connection:
        connection.execute("set TimeZone = 'UTC'")
        for schema, table in compared:
            theirs = cluster.table(schema, table)
            rows += theirs.num_rows
            assert differences(connection, schema, table, theirs, {"_dlt_load_id"}) == []
    same("the file, and the files of a second destination", len(compared), rows)
    assert cluster.table("raw", "ticket_invoices")["mood"].to_pylist().count("fine") == 1
    assert cluster.table("marts", "sales_documents").num_rows == 2

    # What nothing came to is not copied again, nor taken from who reads it.
    was = {table: cluster.files("raw", table) for table in ("tickets", "ticket_invoices")}
    loaded.load("ticket_invoices", invoice("d", "4", 1), minute=3)
    night()
    words = ["run-operation", "lake", "--args", json.dumps({"folder": files.as_uri()})]
    dbt.invoke(models.PROJECT, words, home=tmp_path, target="spark")
    assert cluster.files("raw", "tickets") == was["tickets"]
    assert cluster.files("raw", "ticket_invoices") != was["ticket_invoices"]
    assert cluster.table("raw", "ticket_invoices").num_rows == 4
    loaded.ledger.close()


def test_a_build_that_no_worker_is_left_for_fails_and_the_next_one_goes_on(
    tmp_path: Path, cluster: Spark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dbt, "BUILD", ("run", "--select", "monthly_sales"))
    monkeypatch.setattr(spark, "_PATIENCE", 3)
    before = cluster.table("marts", "monthly_sales")
    cluster.lose_workers()
    with pytest.raises(models.ModelsFailed, match="no worker for 3 seconds") as failed:
        spark.build(tmp_path)
    assert " at org." not in str(failed.value)
    cluster.start_workers()
    spark.build(tmp_path)
    assert cluster.table("marts", "monthly_sales") == before


def _cut_off(raw: Path) -> None:
    """What a load leaves that did not come to its end: files, but no word of it."""
    newest = max((raw / "ticket_invoices").iterdir())
    rows = pq.read_table(newest)
    at = rows.schema.get_field_index("_dlt_load_id")
    rows = rows.set_column(at, "_dlt_load_id", pa.array(["9999999999.1"] * len(rows)))
    pq.write_table(rows, newest.with_name("9999999999.1.0.parquet"))
