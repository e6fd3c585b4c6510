"""Whether the ledger and the private database belong together; what is done if not.

The database notes how far it has read which ledger, and the ledger has a copy of that note. Where
they are not the same, one of them is another one:

- the database is new, or an older copy: it reads the log from where it stands itself;
- what it holds came from another ledger, or from a later one than this: the ledger forgets the
  mirror and is told which rows the database holds, so that the full reads that follow notice those
  that are gone.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import duckdb

from pipelines.load.consumer import WAREHOUSE, Feed
from pipelines.load.loader import Loader
from pipelines.load.tables import columns_of, quoted
from sources.repair_shop.change_log import ChangeLog
from sources.repair_shop.ledger import Ledger, now_text
from sources.repair_shop.schema.dates import local_day
from sources.repair_shop.schema.endpoints import ENDPOINTS
from sources.repair_shop.settings import ShopSettings

BUILT = "built"
"""What the models of the database were last built of, in the ledger."""
_CHUNK = 10_000
_UTC = ZoneInfo("UTC")


def pair(ledger: Ledger, loader: Loader, shops: Sequence[ShopSettings]) -> tuple[Feed, str]:
    """What brings the database up to date, and what a person should know, or an empty text.

    Call with the sync lock held and the file made (:meth:`pipelines.load.loader.Loader.prepare`).
    """
    log, known = ChangeLog(ledger, shops), ledger.value("", WAREHOUSE)
    text = loader.notes().get("loaded", "")
    said = json.loads(text) if text else {}
    at = said.get("at", {}) if text and log.knows(said["token"], said["at"]) else {}
    if text == known and at:
        return Feed(ledger, loader, shops, at), ""
    ledger.set_value("", BUILT, "")  # nor do its models stand
    if text != known and not loader.is_of_another(log):
        told = "The warehouse is new or an older copy: it is filled from the ledger."
        return Feed(ledger, loader, shops, at), told if known else ""
    if text != known:  # else a run was told of these rows, and ended before it loaded others
        ledger.forget_mirror()
        with loader.database() as database:
            held = _held(database, {shop.name: shop.zone for shop in shops})
            # What is answered of them counts as new; a scan that does not show one tells it gone.
            ledger.write_all("remember_row", held)
        ledger.set_value("", WAREHOUSE, text)
    told = "The warehouse and the ledger do not belong together: everything is read again."
    return Feed(ledger, loader, shops, {}), told


def _held(
    database: duckdb.DuckDBPyConnection, zones: Mapping[str, ZoneInfo]
) -> Iterator[dict[str, str | None]]:
    """The rows of raw, as the ledger knows a row of which it has no content."""
    now = now_text()
    database.execute("SET TimeZone = 'UTC'")
    held = columns_of(database, "raw")
    for table, endpoint in ENDPOINTS.items():
        if table not in held:
            continue
        day = quoted(endpoint.day_column) if endpoint.day_column in held[table] else "NULL"
        names = ", ".join(
            ["shop_id", "id", day, "_deleted_at::VARCHAR", *map(quoted, endpoint.variant_columns)]
        )
        cursor = database.execute(f"SELECT {names} FROM raw.{quoted(table)}")  # noqa: S608 - declared names
        while rows := cursor.fetchmany(_CHUNK):
            for shop, identity, moment, gone, *variant in rows:
                yield {
                    "shop": shop,
                    "list": ":".join((table, *variant)),
                    "id": identity,
                    "day": _day(moment, zones.get(shop, _UTC)),
                    "deleted_at": gone and now_text(datetime.fromisoformat(gone)),
                    "at": now,
                }


def _day(moment: str | None, zone: ZoneInfo) -> str | None:
    try:
        return local_day(moment, zone).isoformat() if moment else None
    except ValueError:
        return None
