"""When a build may replace only what depends on what changed, and the proof that it was enough.

Such a build (``macros/changes.sql`` of the models) replaces rows of the tables that are kept: those
of records loaded since the last build, and of what depends on them. It needs a last build that
ended well, of the same statements and settings; every other build is whole, and so is one a week,
which is held against the tables as they were kept until then.

What the last build had stands in the file itself, beside its tables: the loads in
``ops.built_loads``, and in ``ops.meta`` what it was made of and when the last whole one was. It is
taken away when a build begins and comes back when it has ended, so a build that was cut off leaves
a file of which the next builds everything.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import duckdb

from pipelines.sql import written
from pipelines.transform.compiled import Node

LEAST_LINES = 200_000
"""Lines of documents below which a build is whole: it then takes seconds, and needs no proof."""
WHOLE_EVERY = timedelta(days=7)
DIFFERS = "kept_tables_differed"
"""Name of the finding that a build of what changed was not equal to a whole one."""
_LINES = ("ticket_invoices__lines", "pos_orders__lines")
_LOADED = (
    "ticket_invoices",
    "pos_orders",
    "tickets",
    "payments",
    "products",
    "customers",
    "ticket_comments",
    "ticket_timers",
)
"""Lists whose loads tell what changed: those of ``int_changed_records``. A nested list is only
ever loaded with its record."""


class LastBuild:
    """What a file knows of its last build. ``statements``: which ones it is built of now."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, statements: str) -> None:
        self._connection = connection
        connection.execute("create table if not exists ops.meta (name varchar, value varchar)")
        settings = connection.execute("select * from ops.shops order by shop_id").fetchall()
        settings += connection.execute(
            "select shop_id, status_id, label, meaning, is_closed, is_done from ops.statuses "
            "order by all"
        ).fetchall()
        self._of = hashlib.sha256(f"{statements}{settings}".encode()).hexdigest()
        said = dict(connection.execute("select name, value from ops.meta").fetchall())
        self.stands = said.get("built_of") == self._of and self._is_large()
        """Whether the tables are those of the last build, of the same statements and settings."""
        whole_at = datetime.fromisoformat(said.get("built_whole_at", "1970-01-01T00:00:00+00:00"))
        # A clock that was set back makes no week of years.
        self.is_due = not timedelta(0) <= datetime.now(UTC) - whole_at < WHOLE_EVERY
        """Whether a whole build is due."""

    def _is_large(self) -> bool:
        rows = [
            self._connection.execute(f"select count(*) from raw.{table}").fetchone()  # noqa: S608 - ours
            for table in _LINES
        ]
        return sum(int(row[0]) for row in rows if row) >= LEAST_LINES

    def begin(self) -> None:
        """A build begins: until it has ended, nothing stands."""
        self._connection.execute("delete from ops.meta where name = 'built_of'")

    def ended(self, *, whole: bool) -> None:
        """A build has ended well."""
        if not self._is_large():
            return
        loads = " union ".join(f"select _dlt_load_id from raw.{table}" for table in _LOADED)  # noqa: S608 - ours
        self._connection.execute("begin")
        self._connection.execute(
            f"create or replace table ops.built_loads as select _dlt_load_id as load_id "  # noqa: S608 - ours
            f"from ({loads}) as loads where _dlt_load_id is not null"
        )
        said = {"built_of": self._of}
        if whole:
            said["built_whole_at"] = datetime.now(UTC).isoformat()
        for name, value in said.items():
            given = {"name": name, "value": value}
            self._connection.execute(written("delete from ops.meta where name = $name", given))
            self._connection.execute(written("insert into ops.meta values ($name, $value)", given))
        self._connection.execute("commit")


def contents(connection: duckdb.DuckDBPyConnection, nodes: Sequence[Node]) -> Mapping[str, str]:
    """Tables that are kept, and what stands for all their rows, in whatever order."""
    return {
        name: json.dumps(
            connection.execute(
                f"select count(*), sum(hash(kept))::varchar from {name} as kept"  # noqa: S608 - ours
            ).fetchone()
        )
        for name in (
            f"{node.schema}.{node.table}"
            for node in nodes
            if node.replaced_by or (node.kind == "incremental" and node.changed)
        )
    }
