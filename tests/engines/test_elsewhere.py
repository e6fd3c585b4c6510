"""One ledger, two warehouses: a company's PostgreSQL beside the shop's file."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg2
import pytest

from pipelines.destinations.build import build_there, own_figures
from pipelines.destinations.load import destination
from pipelines.load.loader import LoadError
from pipelines.load.pairing import BUILT
from pipelines.sync.session import made_of
from pipelines.transform import models
from tests.engines.postgres import do
from tests.ledgers import LoadedHome

_COLUMNS = {
    "ticket_invoices": "shop_id, id, amount_total, status, _dlt_id",
    "ticket_invoices__lines": "shop_id, parent_id, total, _dlt_list_idx, _dlt_parent_id",
}


def _theirs(address: str, table: str) -> list[tuple[Any, ...]]:
    with closing(psycopg2.connect(address)) as connection, connection.cursor() as cursor:
        cursor.execute(f"select {_COLUMNS[table]} from raw.{table}")
        return sorted(cursor.fetchall())


def _ours(loaded: LoadedHome, table: str) -> list[tuple[Any, ...]]:
    return sorted(loaded.query(f"select {_COLUMNS[table]} from raw.{table}"))


def test_a_second_destination_holds_what_the_warehouse_holds(
    loaded: LoadedHome, company: str
) -> None:
    def invoice(id: str, amount: str, lines: int) -> dict[str, Any]:
        return {
            "id": id,
            "amountTotal": amount,
            "status": "",
            "lines": [{"total": n} for n in range(lines)],
        }

    def also() -> int:
        with destination(loaded.home, loaded.ledger, "company") as there:
            rows = there.load(loaded.feed.log, ["main"])
        for table in ("ticket_invoices", "ticket_invoices__lines"):
            assert _theirs(company, table) == _ours(loaded, table)
        return rows

    loaded.load(
        "ticket_invoices", invoice("a", "1.50", 2), invoice("b", "2", 1), invoice("c", "3", 1)
    )
    assert also() == 3
    # Two nights later: a row without its lines, a new one, one that is gone.
    loaded.load("ticket_invoices", invoice("a", "1.50", 0), minute=1)
    loaded.load("ticket_invoices", invoice("d", "4", 3), minute=2)
    loaded.ledger.mark_gone("main", "ticket_invoices", ["b"])
    loaded.feed.load_waiting()
    assert also() == 3
    assert also() == 0
    with closing(psycopg2.connect(company)) as connection, connection.cursor() as cursor:
        cursor.execute("select id from raw.ticket_invoices where _deleted_at notnull")
        assert cursor.fetchall() == [("b",)]
        cursor.execute("select count(*) from ops.shops")
        assert cursor.fetchall() == [(0,)]
        cursor.execute("select distinct status from raw.ticket_invoices where _deleted_at is null")
        assert cursor.fetchall() == [("",)]


_SALES = """
    select count(*), sum(total), (select sum(total) from marts.daily_sales),
        (select count(*) from staging.ticket_invoices)
    from {}
"""
_SLOW = """
    create function slow() returns trigger language plpgsql as
    'begin perform pg_sleep(0.3); return null; end';
    create trigger slow after insert or delete on marts.monthly_sales execute function slow()
"""
"""Whoever reads meanwhile has the time to see what he should not."""
_OF_BEFORE = """
    alter table marts.tickets alter cycle_hours type numeric;
    alter table marts.products alter margin_share type numeric;
    do 'begin create role analyst; exception when duplicate_object then null; end';
    grant select on marts.tickets to analyst;
    create view marts.own as select margin_share from marts.products;
    create schema app;
    create table app.orders as select 'kept' as number;
    create schema app__build;
    create table app__build.orders as select 'theirs' as number
"""
"""Types of the version before, and what a company has put on its tables, and beside them."""
_KEPT = (
    "select has_table_privilege('analyst', 'marts.tickets', 'select'), numeric_precision from "
    "information_schema.columns where table_name = 'tickets' and column_name = 'cycle_hours' and "
    "table_schema = 'marts'"
)
_VERSIONS = "select id, dbt_valid_from, dbt_valid_to from history.tickets order by 1, 2"


@contextmanager
def _reading(address: str) -> Iterator[list[tuple[Any, ...]]]:
    """What a reader there sees meanwhile, each time something else than before."""
    seen: list[tuple[Any, ...]] = []
    is_over = threading.Event()

    def read() -> None:
        with closing(psycopg2.connect(address)) as connection, connection.cursor() as cursor:
            connection.autocommit = True
            is_last = False
            while not is_last:
                is_last = is_over.is_set()
                cursor.execute(_SALES.format("marts.monthly_sales"))
                if (found := cursor.fetchone()) not in seen[-1:]:
                    seen.append(found)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield seen
    finally:
        is_over.set()
        reader.join()


def test_readers_see_one_build_or_the_next(loaded: LoadedHome, company: str) -> None:

    def invoice(id: str, month: int) -> dict[str, Any]:
        date = f"2026-0{month}-05T10:00:00-06:00"
        return {"id": id, "amountTotal": "10.00", "status": "Paid", "createdDate": date}

    def build() -> tuple[Any, ...]:
        models.build(loaded.home.build_warehouse, home=loaded.home.path, shops=loaded.shops)
        loaded.ledger.set_value("", BUILT, made_of(loaded.ledger, loaded.home, loaded.shops))
        with destination(loaded.home, loaded.ledger, "company") as there:
            there.load(loaded.feed.log, ["main"], figures=own_figures(loaded.home))
            assert build_there(there)
        (sales,) = loaded.query(_SALES.format("marts.monthly_sales"))
        return sales

    loaded.load("ticket_invoices", invoice("a", 1), invoice("b", 1))
    # A status that comes or goes would make the second build a whole one.
    others = [{"id": label, "status": {"label": label}} for label in ("New", "Repaired")]
    loaded.load("tickets", {"id": "t", "status": {"label": "New"}}, *others)
    before = build()
    do(company, _SLOW, _OF_BEFORE)
    for night, status in enumerate(("Repaired", "New"), 1):
        loaded.load("ticket_invoices", invoice(f"c{night}", night + 1), minute=night)
        loaded.load("tickets", {"id": "t", "status": {"label": status}}, minute=night)
        with _reading(company) as seen:
            after = build()
        assert (before[0], after[0]) == (night, night + 1)
        assert seen == [before, after]
        before = after
        # What is dated by a build is dated as in the file.
        versions = do(company, _VERSIONS)
        assert versions == loaded.query(_VERSIONS)
        assert len(versions) == 3 + night
        assert do(company, _KEPT) == [(True, 28)]
        assert do(company, "select number from app.orders") == [("kept",)]


def test_tables_of_others_are_not_taken_for_ours(loaded: LoadedHome, company: str) -> None:
    """Nor are rows put into them, nor do they give way to a model of their name."""
    make, ask = "create table {0}.customers as select 'boss' as who", "select * from {0}.customers"
    for schema in ("raw", "marts"):
        do(company, f"create schema {schema}", make.format(schema))
        with (
            pytest.raises(LoadError, match=rf"did not make: {schema}\.customers\. Nothing was"),
            destination(loaded.home, loaded.ledger, "company") as there,
        ):
            assert there.lease
            there.lease.claim(["main"])
            build_there(there)
        assert do(company, ask.format(schema)) == [("boss",)]
        do(company, "drop table raw.customers" if schema == "raw" else "drop schema marts cascade")


def test_a_turn_is_kept_while_nothing_is_said(loaded: LoadedHome, company: str) -> None:
    """For the minutes that dbt takes, at a server and behind routers that end what is silent."""
    do(company, f'alter database "{loaded.home.path.parent.name}" set idle_session_timeout = 900')
    with destination(loaded.home, loaded.ledger, "company") as there:
        assert there.client and there.lease
        assert there.client.native_connection.get_dsn_parameters()["keepalives_idle"] == "60"
        time.sleep(1.5)
        there.lease.claim(["main"])


@pytest.mark.parametrize(
    ("harm", "address", "told"),
    [
        ("select 1", ("@127.0.0.1", ":unused@127.0.0.2"), "server is up, and host and port"),
        ("create role plain login", ("shopmirror@", "plain:unused@"), "GRANT CREATE ON DATABASE"),
        (
            "alter database {} set default_transaction_read_only = on",
            ("@", ":unused@"),
            "takes writes",
        ),
        (
            "create role few login connection limit 0",
            ("shopmirror@", "few:unused@"),
            "five connections at most",
        ),
    ],
)
def test_a_server_that_refuses_is_told_with_what_todo(
    loaded: LoadedHome,
    company: str,
    harm: str,
    address: tuple[str, str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    do(company, harm.format(f'"{company.rpartition("/")[2]}"'))
    monkeypatch.setenv("DESTINATION__COMPANY__CREDENTIALS", company.replace(*address))
    with (
        pytest.raises(LoadError, match=told),
        destination(loaded.home, loaded.ledger, "company") as at,
    ):
        at.load(loaded.feed.log, ["main"])
