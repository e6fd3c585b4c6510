"""The page when its figures are in doubt, or not there, or are replaced while somebody looks."""

import itertools
import threading
from datetime import date

from pipelines.dashboard import view
from pipelines.dashboard.asked import signature
from pipelines.home import Home
from pipelines.publish.errors import NothingPublished
from pipelines.publish.publish import publish
from pipelines.report import Period
from tests.app.test_page import metric, shown
from tests.app.warehouse import ask, change
from tests.ledgers import ran


def test_books_that_differ_are_seen_first(home, monkeypatch):
    change(
        home,
        "update marts.reconciliation set matches = false, difference = 7 "
        "where period = '2026-02-01' and shop_id = 'norte'",
    )
    page = shown(home, monkeypatch, part="books")
    assert any("Books differ" in str(m.value) for m in page.markdown)
    (books,) = [d.value for d in page.dataframe if "Difference" in d.value.columns]
    assert (books["Shop"].iloc[0], books["Difference"].iloc[0]) == ("norte", 7)


def test_a_mirror_that_is_old_or_whose_sync_failed_is_told_above_all(home, monkeypatch):
    change(home, "update ops.completeness set began_at = now()")
    page = shown(home, monkeypatch)
    assert not page.warning and not page.error
    assert any("Books agree" in str(m.value) for m in page.markdown)
    ran(home, None)
    page = shown(home, monkeypatch, part="mirror")
    assert "was cut off" in page.error[0].value
    (runs,) = [d.value for d in page.dataframe if "Outcome" in d.value.columns]
    assert list(runs["Outcome"]) == ["cut off"] and str(runs["Began"].iloc[0])
    assert any("Books in doubt" in str(m.value) for m in page.markdown)
    (home / "mirror.sqlite").unlink()
    change(home, "update ops.completeness set began_at = now() - interval 50 hour")
    page = shown(home, monkeypatch)
    assert "50 hours old" in page.warning[0].value
    assert not any("Books agree" in str(m.value) for m in page.markdown)


def test_rows_are_the_rows_there_are(home, monkeypatch):
    change(
        home,
        "insert into ops.completeness by name select 'centro' as shop_id, 'brands' as resource, "
        "true as is_proven, 'audit' as kind, 5000 as rows from range(3)",
    )
    page = shown(home, monkeypatch, part="mirror")
    (lists,) = [d.value for d in page.dataframe if "In doubt" in d.value.columns]
    found = lists[(lists["Shop"] == "centro") & (lists["List"] == "brands")]
    ((count,),) = ask(home, "select count(*) from raw.brands where shop_id = 'centro'")
    assert list(found["Rows"]) == [count]


def test_without_a_warehouse_the_page_says_what_to_do(tmp_path, monkeypatch):
    page = shown(tmp_path, monkeypatch)
    assert "run 'shopmirror sync' first" in page.info[0].value
    monkeypatch.setenv("WAREHOUSE__READ", "north")
    assert "'north' is none of those" in shown(tmp_path, monkeypatch).info[0].value


def test_a_warehouse_without_rows_or_marts(home, monkeypatch):
    tables = [
        row[0]
        for row in ask(home, "select table_name from duckdb_tables() where schema_name = 'marts'")
    ]
    change(home, *(f"delete from marts.{name}" for name in tables))
    page = shown(home, monkeypatch)
    assert metric(page, "Sold") == "0.00"
    change(home, "drop table marts.receivables")
    assert "another version" in shown(home, monkeypatch, part="due").info[0].value
    change(home, "delete from ops.shops")
    assert "holds no shop yet" in shown(home, monkeypatch).info[0].value


def test_looking_never_keeps_a_sync_from_publishing(chain, tmp_path):
    home = Home(tmp_path / "home")
    home.build_warehouse.write_bytes((chain / "warehouse.duckdb").read_bytes())
    publish(home)
    stop, failures = threading.Event(), []

    def look():
        for number in itertools.count():
            if stop.is_set():
                return
            # Other months each time, so that every look opens the file.
            first = date(2000 + number % 25, number % 12 + 1, 1)
            try:
                days = Period(kind="range", first=first, last=date(2026, 7, 1))
                there = view.selection(
                    home.path, ("centro",), days.label, "before", sees_margins=True
                )
                found = there.view
                if found.now.figures.due == 0:
                    failures.append("half a warehouse")
            except NothingPublished as error:
                failures.append(str(error))

    thread = threading.Thread(target=look)
    thread.start()
    signatures = set()
    for _ in range(5):
        publish(home)
        signatures.add(signature(home.path))
    stop.set()
    thread.join()
    assert not failures
    assert len(signatures) == 5, "each publishing is noticed"
