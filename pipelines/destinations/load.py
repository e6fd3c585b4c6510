"""Further destinations of the same ledger: any that dlt knows, beside the product's own file.

Data flow: the log of the ledger -> the dlt source -> ``raw`` at each destination that ``[warehouse]
also`` names. The ``ops`` tables of the private file go there too, so that models can be built
(:mod:`pipelines.destinations.build`). Nothing is asked of the service. How far a destination has
read the log stands in its own dlt state, committed with its rows: one that was away for a month is
brought up to date by the next sync. It reads the ledger or, where answers are no longer kept, the
warehouse. Several homes may load one destination (:mod:`pipelines.destinations.lease`).
"""

from __future__ import annotations

import os
import re
import shutil
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.destinations.lease import Lease, turn
from pipelines.home import Home
from pipelines.load.loader import LoadError, dlt_environment, row_counts, states_of
from pipelines.load.pairing import BUILT
from pipelines.load.tables import OPS_TABLES
from pipelines.masking import mask
from pipelines.settings import HOME_ID, SettingsError, read_section
from sources.repair_shop.change_log import ChangeLog
from sources.repair_shop.errors import first_line
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.schema.endpoints import ENDPOINTS

if TYPE_CHECKING:
    import dlt
    from dlt.common.pipeline import LoadInfo
    from dlt.destinations.sql_client import SqlClientBase

_WITH_LEASE = ("postgres", "duckdb")
"""Kinds of destinations that can be shared."""
FIGURES = "home_figures"
"""Table of ``ops`` there: the figures of each home's own build of its shops."""
_MENDS = {
    "authentication failed|no password supplied|does not exist$|^Missing .* field": (
        "See the credentials, [destination.{name}.credentials]. "
    ),
    "could not translate|refused|timed? ?out expired|No route": (
        "See whether the server is up, and host and port of [destination.{name}.credentials]. "
    ),
    "permission denied for database": (
        "Its role must be allowed to make schemas there: GRANT CREATE ON DATABASE … TO …. "
    ),
    "permission denied|must be owner": "Its role must own the schemas that it writes. ",
    "No space left|is full": "Make room at the server. ",
    "read-only transaction": "Name the server, and a role, that takes writes. ",
    "(statement|lock|transaction) timeout": "Give its role more time: ALTER ROLE … SET … = 0. ",
    "too many (clients|connections)|connection slots": (
        "It takes five connections at most: end some there, or let it have more. "
    ),
    "codec can't encode|has no equivalent": "Its database must be in UTF8. ",
}
"""What PostgreSQL says -> who can do what. A server of another language gets none."""
_AWAKE = {"keepalives_idle": "60"}
"""Seconds of silence on the connection that holds the turn, after which it is looked whether the
other end is there: what lies between drops one that is silent while dbt builds for minutes."""
_OF_THE_HOME = {"disposition": "merge", "strategy": "delete-insert"}


@dataclass(frozen=True)
class Figures:
    """What a home's own build has: ``shop_id, figure, period, amount, models``, and its moment."""

    rows: pa.Table
    built_at: str


class Destination:
    """One destination, while it is this home's turn to write there; see :func:`destination`."""

    def __init__(self, home: Home, ledger: Ledger, name: str) -> None:
        self.name, self.home, self.ledger = name, home, ledger
        # Homes that share a destination have each a state of its own there.
        identity = ledger.value("", HOME_ID)
        if not identity:
            identity = uuid.uuid4().hex[:12]
            ledger.set_value("", HOME_ID, identity)
        self.home_id = identity
        self._folder = home.path / "build" / f"dlt-{name}"
        # What a load that was cut off has left; the destination's own state is believed.
        shutil.rmtree(self._folder, ignore_errors=True)
        dlt_environment(home)
        # Whatever the database or its role is set to talk in.
        os.environ["PGCLIENTENCODING"] = "UTF8"
        self.raw = self._pipeline("raw")
        self.kind = self.raw.destination.destination_type.rpartition(".")[2]
        """dlt's name for what it is: ``postgres``, ``duckdb``, ..."""
        # From CSV, which dlt takes for Arrow tables, its PostgreSQL loader makes NULL of no text.
        self._files: Any = "insert_values" if self.kind == "postgres" else None
        self.client: SqlClientBase[Any] | None = None
        """Holds the turn as long as it is connected; None where SQL is not taken."""
        self.lease: Lease | None = None
        """None where it cannot be said whose a shop is."""

    def load(
        self,
        log: ChangeLog,
        shops: Sequence[str],
        *,
        take_over: Sequence[str] = (),
        is_complete: bool = True,
        figures: Figures | None = None,
    ) -> int:
        """Bring it up to the end of the log; the number of rows that were new to it.

        ``figures`` are those of this home's own build, against which whoever builds there holds
        the figures of its shops. Of shops that are taken over, rows that only the other home knew
        stay until this one ``is_complete``.
        """
        from sources.repair_shop.source import from_log, offsets_of

        lease = self.lease
        self.raw.sync_destination()
        if lease and not lease.holds(self._tables()):
            lease.begin_anew()
            self.raw = self.raw.drop()
        # Of the ledger as that is now: not of a later one than this was put back to.
        is_known = all(offsets_of(log, kept) for kept in states_of(self.raw))
        others = lease.claim(shops, take_over, is_known=is_known) if lease else []
        if others and lease:
            # Only what is loaded anew as a whole can be told from what is left of another home.
            lease.forget(self.raw.pipeline_name)
            self.raw = self.raw.drop()
        loads = _run(self.raw, from_log(log, log.end(), file_format=self._files)).loads_ids
        counts = row_counts(self.raw)
        _run(self._pipeline("ops"), list(self._ops(figures)))
        if lease:
            if is_whole := is_complete and bool(loads):
                lease.keep_only(others, loads)
            mine = [shop for shop in shops if is_whole or shop not in others]
            # What the build here was made of, the models there will be made of.
            built = self.ledger.value("", BUILT) or None
            lease.loaded(mine, built, figures.built_at if figures else "")
        return sum(counts.get(table, 0) for table in ENDPOINTS)

    def _tables(self) -> Iterator[str]:
        """Tables of rows that were loaded there."""
        for schema in self.raw.schemas.values():
            yield from (str(table["name"]) for table in schema.data_tables(seen_data_only=True))

    def _pipeline(self, dataset: str) -> dlt.Pipeline:
        import dlt

        return dlt.pipeline(
            f"shopmirror_{dataset}_{self.home_id}",
            pipelines_dir=str(self._folder),
            destination=self.name,
            dataset_name=dataset,
        )

    def _ops(self, figures: Figures | None) -> Iterator[Any]:
        """The ``ops`` tables as they stand: each replaces what was there of this home."""
        import dlt
        from dlt.common.libs.pyarrow import py_arrow_to_table_schema_columns

        owned = self.lease.owned() if self.lease else None
        with self.home.open_build(read_only=True) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            tables = {
                table: connection.execute(f'FROM ops."{table}"').to_arrow_table()
                for table in OPS_TABLES
            }
            if figures is not None:
                tables[FIGURES] = figures.rows
            for table, rows in tables.items():
                how: Any = "replace"
                if owned is not None:
                    if "shop_id" in rows.column_names:
                        rows = rows.filter(pc.is_in(rows["shop_id"], pa.array(owned, pa.string())))
                    rows, how = self._marked(rows), _OF_THE_HOME
                yield dlt.resource(
                    [rows],
                    name=table,
                    write_disposition=how,
                    file_format=self._files,
                    merge_key=() if owned is None else "home_id",
                    columns=py_arrow_to_table_schema_columns(rows.schema)
                    | ({} if owned is None else {"_is_gone": {"hard_delete": True}}),
                )

    def _marked(self, rows: pa.Table) -> pa.Table:
        """Rows with their home, and one that is not inserted, so that no row replaces all too."""
        gone = pa.nulls(len(rows), pa.bool_())
        rows = rows.append_column("_is_gone", gone)
        rows = pa.concat_tables(
            [rows, pa.table({"_is_gone": [True]})], promote_options="permissive"
        )
        return rows.append_column("home_id", pa.array([self.home_id] * len(rows), pa.string()))


def refuse_unknown(home: Path, names: Sequence[str]) -> None:
    """Raise :class:`SettingsError` for a destination that dlt does not know, before anything is
    asked. Whether it can be reached shows once the warehouse has what was fetched."""
    if not names:
        return
    dlt_environment(Home(home))
    import dlt.destinations
    from dlt.common.destination import Destination
    from dlt.common.destination.exceptions import UnknownDestinationModule

    for name in names:
        kind = str(read_section("destination", name.lower()).get("destination_type", ""))
        try:
            Destination.from_reference(name)
        except UnknownDestinationModule:
            at = f"[destination.{name}] destination_type" if kind else "[warehouse] also"
            near = get_close_matches((kind or name).lower(), dlt.destinations.__all__, n=1)
            guess = f" Did you mean '{near[0]}'?" if near else ""
            mend = (
                "" if kind else " A name of your own needs a destination_type, [destination.NAME]."
            )
            # Who puts an address there puts a password there.
            told = re.sub("//.*", "//***", f"{at}: dlt knows no destination '{kind or name}'.")
            raise SettingsError(told + guess + mend) from None


@contextmanager
def destination(
    home: Home,
    ledger: Ledger,
    name: str,
    is_stopped: Callable[[], bool] = lambda: False,
    *,
    builds: bool = False,
) -> Iterator[Destination]:
    """A destination, when it is this home's turn to write there; ``builds`` models there then.

    :class:`~pipelines.load.loader.LoadError` in words without secrets, whatever goes wrong there:
    the product's own warehouse must not suffer from it.
    """
    try:
        there = Destination(home, ledger, name)
        if there.kind not in _WITH_LEASE:
            yield there
            return
        client = there.raw.sql_client()
        if there.kind == "postgres":
            client.credentials.query = _AWAKE | (client.credentials.query or {})
        with (
            client as there.client,
            turn(there.client, there.kind, there.home_id, is_stopped, builds=builds) as there.lease,
        ):
            yield there
    except Exception as error:
        told = mask(first_line(_root(error)))
        mend = next((mend for words, mend in _MENDS.items() if re.search(words, told)), "")
        raise LoadError(
            f"The destination '{name}' of [warehouse] is not up to date: "
            f"{told if told.endswith('.') else told + '.'} {mend.format(name=name)}The next sync "
            "brings it what it lacks; the warehouse itself is complete."
        ) from error


def _run(pipeline: dlt.Pipeline, what: Any) -> LoadInfo:
    info = pipeline.run(what)
    info.raise_on_failed_jobs()
    return info


def _root(error: BaseException) -> BaseException:
    # Where a lost connection cannot be made again, dlt rolls back on none, and fails of that.
    while below := error.__cause__ or (isinstance(error, AttributeError) and error.__context__):
        error = below
    return error
