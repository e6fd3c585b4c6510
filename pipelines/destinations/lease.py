"""A destination that several homes share: one of them writes at a time, and each its own shops.

``ops.shop_owners`` there says which home loads a shop. The first that loads it owns it; another is
refused until a person says that it takes the shop over. Only destinations that take SQL can say so;
of the others each home needs its own.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pipelines.load.tables import OPS_TABLES
from sources.repair_shop.schema.endpoints import ENDPOINTS

if TYPE_CHECKING:
    from dlt.destinations.sql_client import SqlClientBase

_LOCK = 7_267_460_953
"""Number of the lock that PostgreSQL keeps for whoever is connected; it ends with him."""
_WAIT = 3600.0
"""Seconds that others are waited for: they load, and build the models over all shops."""
_POLL = 0.5
"""Seconds after which one who waits looks again."""
_AWAITED = _LOCK + 1
"""Number of the lock that those share who wait to load, and will build what they find."""
_SILENT = "SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout'"
"""Whoever holds a lock says nothing while dlt loads and dbt builds; older servers know no limit."""
_SCHEMA = "SELECT 1 FROM information_schema.schemata WHERE schema_name = 'ops'"
_OWNERS = (
    "CREATE TABLE IF NOT EXISTS ops.shop_owners (shop_id VARCHAR PRIMARY KEY, home_id VARCHAR "
    "NOT NULL, host VARCHAR, since TIMESTAMP WITH TIME ZONE, rows_of VARCHAR, made_of VARCHAR, "
    "published_of VARCHAR, built_at VARCHAR)"
)
"""``rows_of``: the home whose rows are there; ``made_of``: a digest of what they are, NULL while
they are loaded or no build of its own file is of them; ``published_of``: what it was when the
reports there were built; ``built_at``: when its own file was built."""

_OWN = (
    "INSERT INTO ops.shop_owners (shop_id, home_id, host, since) VALUES (%s, %s, %s, %s) ON "
    "CONFLICT (shop_id) DO UPDATE SET home_id = excluded.home_id, host = excluded.host, "
    "since = excluded.since"
)
_WITHOUT_SHOP = (
    "DELETE FROM ops.findings WHERE home_id NOT IN (SELECT home_id FROM ops.shop_owners); "
    "DELETE FROM ops.runs WHERE home_id NOT IN (SELECT home_id FROM ops.shop_owners)"
)


class LeaseError(Exception):
    """The destination is another's: for now, or one of its shops for good. Exit code 1."""

    exit_code = 1


class Lease:
    """What one home may load; made by :func:`turn`."""

    def __init__(
        self, client: SqlClientBase[Any], home_id: str, is_stopped: Callable[[], bool]
    ) -> None:
        self._client, self._home_id, self._is_stopped = client, home_id, is_stopped

    def claim(
        self, shops: Sequence[str], take_over: Sequence[str] = (), *, is_known: bool = True
    ) -> list[str]:
        """Own these shops. Returns those whose rows there are another home's, or, unless what is
        there ``is_known``, may be older than what this home knows.

        :class:`LeaseError` when another home owns one that is not to be taken over; then nothing
        is changed.
        """
        with self._client.begin_transaction():
            if "shop_owners" not in self._tables("ops", "shop_id", "home_id"):
                ours = [*(("raw", table) for table in ENDPOINTS), *(("ops", t) for t in OPS_TABLES)]
                refuse_strangers(self._client, ours)
                if not self._do(_SCHEMA):  # else who may not make one is refused all the same
                    self._do("CREATE SCHEMA ops")
                self._do(_OWNERS)
            owners = {
                shop: told for shop, *told in self._ask("SELECT shop_id, home_id, host, since")
            }
            theirs = {s: o for s, o in owners.items() if s in shops and o[0] != self._home_id}
            if refused := [shop for shop in sorted(theirs) if shop not in take_over]:
                raise LeaseError(_refusal(refused[0], *theirs[refused[0]]))
            now, host = datetime.now(UTC), socket.gethostname()
            for shop in shops:
                if shop not in owners or shop in theirs:
                    self._do(_OWN, shop, self._home_id, host, now)
                # Half loaded, however this ends, they are not what reports were built of.
                self._do("UPDATE ops.shop_owners SET made_of = NULL WHERE shop_id = %s", shop)
            if not is_known:
                self._do(
                    "UPDATE ops.shop_owners SET rows_of = '' WHERE home_id = %s", self._home_id
                )
            self._drop_what_others_said(theirs)
            found = self._ask("SELECT shop_id, rows_of", "rows_of <> %s", self._home_id)
        return [shop for shop, _ in found if shop in shops]

    def _drop_what_others_said(self, shops: Iterable[str]) -> None:
        """Of these shops, since one told of twice would count twice, and of homes without a shop
        here, whose faults would be told for ever."""
        for shop in shops:
            for table in self._tables("ops", "shop_id", "home_id"):
                if table != "shop_owners":
                    self._do(f'DELETE FROM ops."{table}" WHERE shop_id = %s', shop)  # noqa: S608 - our names
            if "runs" in self._tables("ops", "home_id"):
                self._do(_WITHOUT_SHOP)

    def owned(self) -> list[str]:
        """All shops of this home, also those it is no longer configured for."""
        return [shop for (shop,) in self._ask("SELECT shop_id", "home_id = %s", self._home_id)]

    def forget(self, pipeline: str) -> None:
        """Let a dlt pipeline load everything again."""
        if "_dlt_pipeline_state" in self._tables("raw", "pipeline_name"):
            self._do("DELETE FROM raw._dlt_pipeline_state WHERE pipeline_name = %s", pipeline)

    def begin_anew(self) -> None:
        """Let all homes make the tables there and load everything again: some table is gone."""
        for table in ("_dlt_pipeline_state", "_dlt_version"):
            self._do(f"DELETE FROM raw.{table}")  # noqa: S608 - dlt's names
        self._do("UPDATE ops.shop_owners SET made_of = NULL")

    def holds(self, tables: Iterable[str]) -> bool:
        """Whether all of these are there."""
        return {*tables} <= {*self._tables("raw")}

    def keep_only(self, shops: Sequence[str], loads: Sequence[str]) -> None:
        """Of shops that were taken over and loaded whole, leave only the rows of these loads."""
        marks = ", ".join(["%s"] * len(loads))
        for table in self._tables("raw", "shop_id", "_dlt_load_id"):
            for shop in shops:
                self._do(
                    f'DELETE FROM raw."{table}" WHERE shop_id = %s '  # noqa: S608 - dlt made the name
                    f"AND _dlt_load_id NOT IN ({marks})",
                    *(shop, *loads),
                )

    def loaded(self, shops: Sequence[str], made_of: str | None, built_at: str = "") -> None:
        """All rows of these shops are this home's now."""
        for shop in shops:
            self._do(
                "UPDATE ops.shop_owners SET rows_of = %s, made_of = %s, built_at = %s "
                "WHERE shop_id = %s",
                *(self._home_id, made_of, built_at, shop),
            )

    def built_at(self) -> str:
        """When the newest of all homes' own files was built, in UTC."""
        return str(self._ask("SELECT coalesce(max(built_at), '')")[0][0])

    def let_others(self) -> None:
        """Let all load that wait for it now, and be the only one who writes there again.

        Whoever comes last then finds everybody's rows, and builds once. Those who let others load
        look after that, so a home that dies before it builds leaves it to them.
        """
        while self._is_awaited():
            self._do("SELECT pg_advisory_unlock(%s)", _LOCK)
            time.sleep(2 * _POLL)  # whoever waits for it looks more often than that
            _wait(self._client, self._is_stopped)

    def _is_awaited(self) -> bool:
        if not _locked(self._client, _AWAITED):
            return True
        self._do("SELECT pg_advisory_unlock(%s)", _AWAITED)
        return False

    def is_published(self) -> bool:
        """Whether the reports there were built of the rows that are there, of all homes."""
        return not self._ask("SELECT shop_id", "made_of IS DISTINCT FROM published_of")

    def published(self) -> None:
        """Reports of all rows that are there were built, and readers have them."""
        self._do("UPDATE ops.shop_owners SET published_of = made_of")

    def _tables(self, schema: str, *columns: str) -> list[str]:
        """Tables that were loaded and have these columns."""
        sql = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = "
        held = {(table, column) for table, column in self._do(f"{sql}%s", schema) or ()}
        tables = {table for table, _ in held}
        return sorted(t for t in tables if all((t, column) in held for column in columns))

    def _ask(self, what: str, where: str = "true", *values: object) -> Sequence[Sequence[Any]]:
        return self._do(f"{what} FROM ops.shop_owners WHERE {where}", *values) or ()

    def _do(self, sql: str, *values: object) -> Sequence[Sequence[Any]] | None:
        return self._client.execute_sql(sql, *values)


def refuse_strangers(client: SqlClientBase[Any], ours: Collection[tuple[str, str]]) -> None:
    """:class:`LeaseError` where a table that will be ours is there before we made any."""
    held = client.execute_sql("SELECT table_schema, table_name FROM information_schema.tables")
    if theirs := sorted(f"{s}.{t}" for s, t in held or () if (s, t) in ours):
        raise LeaseError(
            f"it has tables under our names that shopmirror did not make: {', '.join(theirs[:5])}"
            f"{', …' if len(theirs) > 5 else ''}. Nothing was touched: give shopmirror a database "
            "of its own, rename them, or drop them if somebody built them by hand."
        )


@contextmanager
def turn(
    client: SqlClientBase[Any],
    kind: str,
    home_id: str,
    is_stopped: Callable[[], bool],
    *,
    builds: bool,
) -> Iterator[Lease]:
    """Be the only one who writes there, as long as ``client`` is connected; the lease.

    Others let one that ``builds`` load before they build (:meth:`Lease.let_others`). A DuckDB file
    is one process's anyway. :class:`LeaseError` when others do not come to an end.
    """
    if kind == "postgres":
        client.execute_sql(_SILENT)
        if not _locked(client):
            if builds:
                client.execute_sql("SELECT pg_advisory_lock_shared(%s)", _AWAITED)
            _wait(client, is_stopped)
            if builds:
                client.execute_sql("SELECT pg_advisory_unlock_shared(%s)", _AWAITED)
    yield Lease(client, home_id, is_stopped)


def _wait(client: SqlClientBase[Any], is_stopped: Callable[[], bool]) -> None:
    began = time.monotonic()
    while not _locked(client):
        if is_stopped() or time.monotonic() - began > _WAIT:
            raise LeaseError("other homes are still loading it.")
        time.sleep(_POLL)


def _locked(client: SqlClientBase[Any], lock: int = _LOCK) -> bool:
    return bool((client.execute_sql("SELECT pg_try_advisory_lock(%s)", lock) or [[False]])[0][0])


def _refusal(shop: str, home_id: str, host: str, since: datetime) -> str:
    return (
        f"shop '{shop}' is loaded by another home ({home_id} on {host}, since "
        f"{since.astimezone(UTC):%Y-%m-%d %H:%M} UTC). Two homes must not load one shop. If that "
        f"one is given up: 'shopmirror sync --take-over {shop}'."
    )
