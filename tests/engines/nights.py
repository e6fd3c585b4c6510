"""Random nights of a home (`tests/transforms/changes`) at a PostgreSQL, against whole builds.

The rows are put there by hand; what builds and publishes is the product's.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any
from unittest.mock import patch

import adbc_driver_postgresql.dbapi as adbc
import psycopg2

from pipelines.home import Home
from pipelines.load.elsewhere import elsewhere
from pipelines.publish.elsewhere import build_elsewhere, own_figures
from pipelines.transform.models import build
from sources.repair_shop.ledger import Ledger
from tests.engines import equality
from tests.transforms.changes import Nights, in_days
from tests.transforms.raw import Raw

_OPS = ("shops", "service_reports", "pipeline_looks", "statuses")
WEEK_AGO = "update ops.meta set value = '2026-01-01T00:00:00+00:00' where name = 'built_whole_at'"
"""Makes a whole build due."""
_NARROW = "select count(*) from intermediate__build.int_changed_records"


@contextmanager
def company(address: str) -> Iterator[None]:
    """Let ``[warehouse] also = ["company"]`` be the database at ``address``."""
    # The server asks for no password, dlt does.
    credentials = address.replace("@", ":unused@")
    at = {"DESTINATION_TYPE": "postgres", "CREDENTIALS": credentials}
    with patch.dict("os.environ", {f"DESTINATION__COMPANY__{name}": at[name] for name in at}):
        yield


class Company:
    """A home's file, and the PostgreSQL that gets its rows."""

    def __init__(self, home: Home, address: str, seed: int = 3) -> None:
        self.home, self._address, self.told = home, address, list[str]()
        home.build_warehouse.parent.mkdir(parents=True, exist_ok=True)
        self.raw = Raw(home.build_warehouse, main="America/Guatemala", other="Europe/Berlin")
        self.changes, self.ledger, self._nights = Nights(self.raw, seed), Ledger(home.ledger), 0
        self.unfinished = ""
        """The load that was cut off."""
        self.compared = 0, 0
        """Tables and rows of the last comparison."""

    def ask(self, sql: str) -> list[Any]:
        """What the server answers."""
        with closing(psycopg2.connect(self._address)) as connection, connection.cursor() as cursor:
            connection.autocommit = True
            cursor.execute(sql)
            return cursor.fetchall() if cursor.description else []

    def load(self) -> None:
        """Build all in the file, a day after the build before, and bring its rows there."""
        with in_days(self._nights):
            build(self.home.build_warehouse, home=self.home.path, shops=[])
        figures = own_figures(self.home)
        assert figures
        with elsewhere(self.home, self.ledger, "company") as there:
            assert there.lease
            there.lease.claim(["main", "other"])
            self._copy(figures.rows)
            there.lease.loaded(["main", "other"], str(self._nights), figures.built_at)
        self._nights += 1

    def _copy(self, figures: Any) -> None:
        with (
            adbc.connect(self._address) as there,
            there.cursor() as cursor,
            self.raw.connect() as here,
        ):
            here.register("figures", figures)
            tables = here.execute(
                "select table_schema, table_name from information_schema.tables where "
                f"table_schema = 'raw' or table_schema = 'ops' and table_name in {_OPS}"
            ).fetchall()
            rows = {(s, t): here.execute(f'from {s}."{t}"').to_arrow_table() for s, t in tables}
            rows["raw", "_dlt_loads"] = here.execute(
                "select i::varchar as load_id, 0::bigint as status from range(1, 1000) as loads(i) "
                "where load_id <> ?",
                [self.unfinished],
            ).to_arrow_table()
            rows["ops", "home_figures"] = here.execute(
                "select *, ? as home_id from figures", [self.ledger.value("", "pipeline")]
            ).to_arrow_table()
            for (schema, table), content in rows.items():
                cursor.execute(f"create schema if not exists {schema}")
                if self._nights:
                    cursor.execute(f'truncate {schema}."{table}"')
                mode = "append" if self._nights else "create"
                cursor.adbc_ingest(table, content, mode=mode, db_schema_name=schema)
            cursor.execute(
                "create table if not exists ops.findings "
                "(name varchar, records bigint, meaning varchar, home_id varchar, "
                "_dlt_load_id varchar not null)"
            )
            there.commit()

    def build(self) -> bool:
        """Build what was loaded there; whether it was a build of what changed."""
        with elsewhere(self.home, self.ledger, "company") as there:
            assert build_elsewhere(there, self.told.append)
        return bool(self.ask(_NARROW)[0][0])

    def wait(self) -> None:
        """Until the server takes questions again."""
        until = time.monotonic() + 60
        while True:
            try:
                self.ask("select 1")
            except psycopg2.OperationalError:
                assert time.monotonic() < until
                time.sleep(0.1)
            else:
                return

    def differences(self) -> list[str]:
        """Tables that readers have there otherwise than in the file, which was built whole."""
        found, self.compared = [], (0, 0)
        with self.raw.connect() as here, adbc.connect(self._address) as there:
            for schema, table in equality.tables(here):
                if schema in ("staging", "intermediate") or table.endswith("_versions"):
                    continue
                with there.cursor() as cursor:
                    cursor.execute(f'select * from {schema}."{table}"')
                    theirs = cursor.fetch_arrow_table()
                self.compared = self.compared[0] + 1, self.compared[1] + len(theirs)
                if equality.differences(here, schema, table, theirs):
                    found.append(f"{schema}.{table}")
        return found
