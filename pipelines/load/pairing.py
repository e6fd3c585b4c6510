"""Whether the ledger and the private database belong together; if not, everything is read again.

The ledger knows what was loaded. Beside a database that is another one, or an older copy, it would
take rows for loaded that are not there; a ledger that is new knows nothing of rows that went at the
service meanwhile. So both carry the database's name and count each time they are opened together.
Where they do not agree the ledger forgets the mirror and is told which rows the database holds, so
that the full reads that follow notice those that are gone.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from zoneinfo import ZoneInfo

import duckdb

from pipelines.home import Home
from pipelines.load.tables import columns_of, quoted
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.schema.dates import local_day
from sources.repair_shop.schema.endpoints import ENDPOINTS
from sources.repair_shop.settings import ShopSettings

_NAME, _COUNT = "warehouse", "openings"
_CHUNK = 10_000
_Held = tuple[str, str, str, date | None]
"""A row of raw: shop, resource, id, day."""


def keep_together(home: Home, ledger: Ledger, shops: Sequence[ShopSettings]) -> bool:
    """Note that the two are opened together; False when they did not belong together.

    Call with the sync lock held and the tables made (:meth:`pipelines.load.loader.Loader.prepare`).
    """
    known, ours = ledger.mark("", _NAME), int(ledger.mark("", _COUNT) or 0)
    with home.open_build() as database:
        told = dict(database.execute("SELECT name, value FROM ops.meta").fetchall())
        name, theirs = told.get("identity") or uuid.uuid4().hex, int(told.get(_COUNT) or 0)
        # A kill between the two notes below leaves the database one ahead.
        together = known == name and theirs in (ours, ours + 1)
        if not together:
            ledger.forget_mirror()
            ledger.remember_rows(_held(database, {shop.name: shop.zone for shop in shops}))
        count = str(max(ours, theirs) + 1)
        database.execute("DELETE FROM ops.meta WHERE name IN ('identity', ?)", [_COUNT])
        database.execute(
            "INSERT INTO ops.meta VALUES ('identity', ?), (?, ?)", [name, _COUNT, count]
        )
    ledger.set_mark("", _COUNT, count)
    ledger.set_mark("", _NAME, name)
    return together or known is None


def _held(database: duckdb.DuckDBPyConnection, zones: Mapping[str, ZoneInfo]) -> Iterator[_Held]:
    """The rows of raw that are believed to exist, of the shops that are configured."""
    held = columns_of(database, "raw")
    for table, endpoint in ENDPOINTS.items():
        variants = list(endpoint.variants[0]) if endpoint.variants else []
        day = quoted(endpoint.day_column) if endpoint.day_column in held[table] else "NULL"
        names = ", ".join(["shop_id", "id", day, *map(quoted, variants)])
        cursor = database.execute(
            f"SELECT {names} FROM raw.{quoted(table)} WHERE _deleted_at IS NULL"  # noqa: S608 - declared names
        )
        while rows := cursor.fetchmany(_CHUNK):
            for shop, identity, moment, *variant in rows:
                if shop in zones:
                    resource = ":".join((table, *variant))
                    yield shop, resource, identity, _day(moment, zones[shop])


def _day(moment: str | None, zone: ZoneInfo) -> date | None:
    try:
        return local_day(moment, zone) if moment else None
    except ValueError:
        return None
