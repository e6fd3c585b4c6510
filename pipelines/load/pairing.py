"""Whether the ledger and the private database belong together; what is done if not.

The ledger notes what the database has got, as a hint, and both carry the database's name and count
each time they are opened together. Where they do not agree the hint is worth nothing:

- the database is new, or an older copy: it reads the log from where it stands itself; what the
  ledger no longer keeps is asked for again;
- what it holds came from another ledger, or from a later one than this: the ledger forgets the
  mirror and is told which rows the database holds, so that the full reads that follow notice those
  that are gone.
"""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from zoneinfo import ZoneInfo

import duckdb

from pipelines.home import Home
from pipelines.load.consumer import Feed
from pipelines.load.loader import Loader
from pipelines.load.tables import columns_of, note, notes, quoted
from pipelines.settings import ShopSettings
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.log import Log
from sources.repair_shop.schema.dates import local_day
from sources.repair_shop.schema.endpoints import ENDPOINTS

BUILT = "built"
"""What the models of the database were last built of, in the ledger."""
WAREHOUSE = "warehouse"
"""The database's name, there too."""
_COUNT = "openings"
_CHUNK = 10_000
_Held = tuple[str, str, str, date | None]
"""A row of raw: shop, resource, id, day."""


def keep_together(
    home: Home, ledger: Ledger, loader: Loader, feed: Feed, shops: Sequence[ShopSettings]
) -> str:
    """Note that the two are opened together; what a person should know, or an empty text.

    Call with the sync lock held and the file made (:meth:`pipelines.load.loader.Loader.prepare`).
    """
    known, ours = ledger.value("", WAREHOUSE), int(ledger.value("", _COUNT) or 0)
    with home.open_build() as database:
        told = notes(database)
        name, theirs = told.get("identity") or uuid.uuid4().hex, int(told.get(_COUNT) or 0)
        count = str(max(ours, theirs) + 1)
        # A kill between the two notes leaves the database one ahead.
        if known == name and theirs in (ours, ours + 1):
            _note(database, ledger, name, count)
            return ""
    say = ""
    ledger.set_value("", BUILT, "")  # nor do its models stand
    if loader.is_of_another(feed.log):
        say = "The warehouse and the ledger do not belong together: everything is read again."
        ledger.forget_mirror()
        with home.open_build() as database:
            ledger.remember_rows(_held(database, {shop.name: shop.zone for shop in shops}))
    elif known is not None:
        feed.start_over()
        again = _ask_again(loader, feed.log)
        say = "The warehouse is new or an older copy: it is filled from the ledger" + (
            f"; {', '.join(again)} are read again." if again else "."
        )
    with home.open_build() as database:
        _note(database, ledger, name, count)
    return say


def _note(database: duckdb.DuckDBPyConnection, ledger: Ledger, name: str, count: str) -> None:
    note(database, identity=name, **{_COUNT: count})
    ledger.set_value("", _COUNT, count)
    ledger.set_value("", WAREHOUSE, name)


def _ask_again(loader: Loader, log: Log) -> list[str]:
    """Have those lists read whole of which neither the database nor the ledger has all rows."""
    lists: list[str] = []
    for table in ENDPOINTS:
        for shop in log.missing(table, loader.offsets(log, table)):
            log.ask_again(table, shop)
            lists.append(f"{shop}: {table}")
    return lists


def _held(database: duckdb.DuckDBPyConnection, zones: Mapping[str, ZoneInfo]) -> Iterator[_Held]:
    """The rows of raw that are believed to exist, of the shops that are configured."""
    held = columns_of(database, "raw")
    for table, endpoint in ENDPOINTS.items():
        if table not in held:
            continue
        day = quoted(endpoint.day_column) if endpoint.day_column in held[table] else "NULL"
        names = ", ".join(["shop_id", "id", day, *map(quoted, endpoint.variant_columns)])
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
