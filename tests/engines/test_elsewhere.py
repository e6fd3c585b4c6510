"""One ledger, two warehouses: a company's PostgreSQL beside the shop's file."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg2
import pytest

from pipelines.destinations.build import build_there
from pipelines.load.loader import LoadError
from tests.engines.beside import Beside, invoice
from tests.engines.postgres import do

_ALIKE = (
    "select shop_id, id, amount_total, status, _dlt_id from raw.ticket_invoices order by id",
    "select shop_id, parent_id, total, _dlt_list_idx, _dlt_parent_id "
    "from raw.ticket_invoices__lines order by parent_id, _dlt_list_idx",
)


def test_a_second_destination_holds_what_the_warehouse_holds(company: Beside) -> None:
    def also() -> int:
        rows = company.give()
        for sql in _ALIKE:
            company.ask(sql)
        return rows

    first = invoice("a", "1.50", 2, status=""), invoice("b", "2", 1), invoice("c", "3", 1)
    company.load("ticket_invoices", *first)
    assert also() == 3
    # Two nights later: a row without its lines, a new one, one that is gone.
    company.load("ticket_invoices", invoice("a", "1.50", status=""), minute=1)
    company.load("ticket_invoices", invoice("d", "4", 3), minute=2)
    company.ledger.mark_gone("main", "ticket_invoices", ["b"])
    company.feed.load_waiting()
    assert also() == 3
    assert also() == 0
    assert company.ask("select id from raw.ticket_invoices where _deleted_at is not null") == [
        ("b",)
    ]
    assert do(company.address, "select count(*) from ops.shops") == [(0,)]
    assert company.ask("select status from raw.ticket_invoices where id = 'a'") == [("",)]


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
    alter table marts.tickets add of_a_newer_version text, alter ticket_no type varchar(99);
    alter table marts.products add of_a_newer_version text;
    do 'begin create role analyst; exception when duplicate_object then null; end';
    grant select on marts.tickets to analyst;
    create view marts.own as select margin_share from marts.products;
    create schema app;
    create table app.orders as select 'kept' as number;
    create schema app__build;
    create table app__build.orders as select 'theirs' as number
"""
"""Types and columns of another version, and what a company has put on its tables, and beside
them."""
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


def test_readers_see_one_build_or_the_next(company: Beside) -> None:
    def of_month(id: str, month: int) -> dict[str, Any]:
        return invoice(id, "10.00", createdDate=f"2026-0{month}-05T10:00:00-06:00")

    def build() -> tuple[Any, ...]:
        company.night()
        (sales,) = company.query(_SALES.format("marts.monthly_sales"))
        return sales

    company.load("ticket_invoices", of_month("a", 1), of_month("b", 1))
    # A status that comes or goes would make the second build a whole one.
    others = [{"id": label, "status": {"label": label}} for label in ("New", "Repaired")]
    company.load("tickets", {"id": "t", "status": {"label": "New"}}, *others)
    before = build()
    do(company.address, _SLOW, _OF_BEFORE)
    for night, status in enumerate(("Repaired", "New"), 1):
        company.load("ticket_invoices", of_month(f"c{night}", night + 1), minute=night)
        company.load("tickets", {"id": "t", "status": {"label": status}}, minute=night)
        with _reading(company.address) as seen:
            after = build()
        assert (before[0], after[0]) == (night, night + 1)
        assert seen == [before, after]
        before = after
        # What is dated by a build is dated as in the file.
        assert len(company.ask(_VERSIONS)) == 3 + night
        assert do(company.address, _KEPT) == [(True, 28)]
        assert do(company.address, "select number from app.orders") == [("kept",)]
    do(company.address, "drop table marts.products cascade")
    company.night()
    assert do(company.address, "select count(*) from marts.products"), "made again without news"


def test_tables_of_others_are_not_taken_for_ours(company: Beside) -> None:
    """Nor are rows put into them, nor do they give way to a model of their name."""
    make, ask = "create table {0}.customers as select 'boss' as who", "select * from {0}.customers"
    for schema in ("raw", "marts"):
        do(company.address, f"create schema {schema}", make.format(schema))
        with (
            pytest.raises(LoadError, match=rf"did not make: {schema}\.customers\. Nothing was"),
            company.there() as there,
        ):
            assert there.lease
            there.lease.claim(["main"])
            build_there(there)
        assert do(company.address, ask.format(schema)) == [("boss",)]
        drop = "drop table raw.customers" if schema == "raw" else "drop schema marts cascade"
        do(company.address, drop)


def test_a_turn_is_kept_while_nothing_is_said(company: Beside) -> None:
    """For the minutes that dbt takes, at a server and behind routers that end what is silent."""
    database = company.address.rpartition("/")[2]
    do(company.address, f'alter database "{database}" set idle_session_timeout = 900')
    with company.there() as there:
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
    company: Beside,
    harm: str,
    address: tuple[str, str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    do(company.address, harm.format(f'"{company.address.rpartition("/")[2]}"'))
    monkeypatch.setenv("DESTINATION__COMPANY__CREDENTIALS", company.address.replace(*address))
    with pytest.raises(LoadError, match=told):
        company.give()
