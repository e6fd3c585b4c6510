"""The dlt source: every list of a repair shop's service as a resource.

Data flow: service -> ledger (:mod:`repair_shop.mirror`) -> change log
(:mod:`repair_shop.change_log`) -> Arrow tables -> the destination. A destination's place in the log
is kept in dlt's state, so it is committed with the rows it stands for; whatever is cut off is read
from the ledger again, not from the service.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dlt
import pyarrow as pa
from dlt.common import logger
from dlt.common.configuration import configspec
from dlt.common.configuration.inject import get_orig_args
from dlt.common.configuration.specs import BaseConfiguration
from dlt.common.libs.pyarrow import py_arrow_to_table_schema_columns
from dlt.common.schema import Schema
from dlt.common.schema.typing import TTableSchemaColumns
from dlt.common.typing import TSecretStrValue
from dlt.extract import DltResource, DltSource

from .change_log import NO_ROW, ChangeLog, Offsets
from .errors import Stopped
from .extract import ShopFetch
from .ledger import Ledger
from .mirror import Mirror
from .schema.arrow import empty_tables
from .schema.endpoints import ENDPOINTS
from .sections import SECTION, home_folder, merged, read_section, shops_of
from .settings import ShopSettings

SCHEMA = "repair_shop"
"""Name of the dlt schema; stored at destinations, so a change of it is a migration."""

_SCHEMA = Schema(
    SCHEMA,
    # dlt's own snake_case knows Latin letters only: every other field would be the column "x".
    normalizers={
        "names": "duck_case",
        "json": {"module": "dlt.common.normalizers.json.relational"},
    },
)
_MERGE: Any = {"disposition": "merge", "strategy": "delete-insert"}
LEDGER, OFFSETS = "ledger", "offsets"
"""Keys of a resource's state: which ledger it has read (a token), and how far by shop."""
UNFINISHED = "unfinished"
"""Key of the source's state: shops whose last reading was stopped before its end."""


@configspec
class ShopConfig(BaseConfiguration):
    """What ``dlt init`` asks a user for; other settings have defaults."""

    base_url: str | None = None
    api_key: TSecretStrValue | None = None


@dlt.source(schema=_SCHEMA, section=SCHEMA, spec=ShopConfig)
def repair_shop(
    base_url: str | None = dlt.config.value,
    api_key: TSecretStrValue | None = dlt.secrets.value,
    timezone: str | None = None,
    shops: dict[str, Any] | None = None,
    requests_per_minute: int | None = None,
    reserve: int | None = None,
    minute_seconds: float | None = None,
    timeout_seconds: float | None = None,
    audit_requests: int | None = None,
    vanish_limit_percent: float | None = None,
    custom_field_categories: str | None = None,
    ledger_folder: str | None = None,
    max_requests: int | None = None,
    full: bool = False,
    **injection_kwargs: Any,
) -> Iterable[DltResource]:
    """All lists of a repair shop's service, incrementally and within its rate limit.

    The first run reads every selected list whole, a later one only what is new, changed or gone.
    Every answer is written to a ledger on disk before it is used: a run that is cut off goes on
    from there, and a second destination is fed from there without asking the service twice.
    Deleted rows stay, with ``_deleted_at``. A shop that fails fails the run, after all other rows
    are loaded.

    Args:
        base_url (str): Address of the service, ending in ``/v1``.
        api_key (str): The shop's key.
        timezone (str): The shop's time zone as IANA name, in which its days begin. Default: UTC.
        shops (dict): Several shops, name -> settings as here, each overriding the ones beside
            it; from ``[sources.repair_shop.shops.<shop>]``. Without it there is one, ``main``.
        requests_per_minute (int): The service's limit.
        reserve (int): Requests a minute left to other clients of the key.
        minute_seconds (float): Length of the limit's minute; only a sandbox changes it.
        timeout_seconds (float): How long an answer may take.
        audit_requests (int): Requests a run for re-reading old days, where all lists are selected.
        vanish_limit_percent (float): Share of a list that may vanish at once and be believed.
        custom_field_categories (str): ``categoryId`` of tickets' custom fields that no list names,
            with commas between; one with a ``tabId`` as ``17:3``.
        ledger_folder (str): Folder of the ledger and the rate budget. Default:
            ``SHOPMIRROR_HOME``, else ``data`` in the current folder.
        max_requests (int): Stop asking after so many requests; the next run goes on from there.
        full (bool): Read every selected list whole.

    Returns:
        Iterable[DltResource]: One resource a list, named as its table; nested lists come with it
        as ``<table>__<list>``.
    """
    names = list(locals())
    if wrong := [name for name in injection_kwargs if not name.startswith("_dlt_")]:
        raise TypeError(f"repair_shop() has no argument {', '.join(wrong)}")
    # dlt looks for an argument in its section first, and then for a variable of that mere name:
    # API_KEY of the environment is another service's. So only what the caller gave counts here.
    by_place, by_name = get_orig_args(**injection_kwargs)
    given = dict(zip(names, by_place, strict=False)) | by_name
    given = {name: value for name, value in given.items() if value is not None}
    section = merged(_known_to_dlt(), read_section(*SECTION), given)
    folder, most = section.pop("ledger_folder", None), section.pop("max_requests", None)
    reads_whole = section.pop("full", full)
    home = Path(folder) if folder else home_folder()
    shops_read = shops_of(section, ShopSettings)
    limit = None if most is None else int(most)
    reading = _Reading(home, shops_read, limit, bool(reads_whole))
    resources = _Resources(reading.log)
    for table in ENDPOINTS:
        yield resources.of(table, reading.finish)


def _known_to_dlt() -> dict[str, Any]:
    """What dlt's other places, such as a vault, hold for exactly ``sources.repair_shop``."""
    names = (*ShopSettings.model_fields, "shops")
    found: dict[str, Any] = {name: dlt.config.get(".".join((*SECTION, name))) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def from_log(
    log: ChangeLog,
    end: int,
    *,
    file_format: Any = None,
) -> DltSource:
    """The same resources, up to ``end`` of a log that somebody else feeds; asks no service.

    The destination may hold rows beyond what its state tells: of a load that was cut off, or of
    another ledger. ``file_format``: other files than dlt would take for the destination.
    """

    # A schema of its own: a shared one would remember tables of a file that was lost meanwhile.
    @dlt.source(schema=_SCHEMA.clone(), section=SCHEMA)
    def source() -> Iterable[DltResource]:
        for table in ENDPOINTS:
            yield resources.of(table)

    resources = _Resources(lambda _table: (log, end), file_format, holds_rows=True)
    return source()


class _Reading:
    """Reads the selected lists when the first of them is extracted, and lends out the log."""

    def __init__(
        self, home: Path, shops: Sequence[ShopSettings], max_requests: int | None, full: bool
    ) -> None:
        self._home, self._shops = home, shops
        self._max_requests, self._full = max_requests, full
        self._left: set[str] = set()
        """Lists that are still to be told of what was read."""
        self._found: Future[tuple[ChangeLog, int]] = Future()
        self._ledger: Ledger | None = None
        self._lock = threading.Lock()

    def log(self, table: str) -> tuple[ChangeLog, int]:
        """The log, once all is read: by whoever asks first, as dlt may read resources in threads.

        A list that was told already begins another run of the same source.
        """
        with self._lock:
            if table not in self._left:
                self._found = Future()
                try:
                    self._found.set_result(self._read(table))
                except BaseException as error:  # noqa: BLE001 - the other lists have it, too
                    self._found.set_exception(error)
            return self._found.result()

    def _read(self, table: str) -> tuple[ChangeLog, int]:
        # A list that only feeds a transformer is no resource of the source that runs.
        named = [*dlt.current.source().selected_resources, table]
        selected = list(dict.fromkeys(name for name in named if name in ENDPOINTS))
        self._left = set(selected)
        with Mirror(self._home, self._shops, max_requests=self._max_requests) as mirror:
            log = ChangeLog(mirror.ledger, self._shops)
            for table in selected:
                state = dlt.current.resource_state(table)
                if LEDGER in state and not offsets_of(log, state):
                    # It is of a later ledger than this one was restored to, or of a lost one: what
                    # it holds may be newer than what is kept here.
                    for shop in self._shops:
                        mirror.ledger.ask_again(shop.name, ENDPOINTS[table].resources)
                    logger.warning(
                        f"{table}: the destination was filled from another ledger, so it may keep "
                        "rows that are gone at the service. Run the pipeline once with "
                        "refresh='drop_resources': it fills the tables anew, from the ledger."
                    )
            _tell(mirror.read(selected, full=self._full))
        self._ledger = Ledger(self._home / "mirror.sqlite")
        log = ChangeLog(self._ledger, self._shops)
        return log, log.end()

    def finish(self, table: str) -> None:
        """A list was told to its end; after the last one the ledger is closed."""
        with self._lock:
            self._left.discard(table)
            if self._ledger is not None and not self._left:
                self._ledger.close()


def _tell(fetches: Sequence[ShopFetch]) -> None:
    """Log what is in doubt, note which shops were stopped, and have the run fail for one that did.

    Raises at once where no shop could be read.
    """
    for fetch in fetches:
        for doubt in fetch.doubts:
            logger.warning(f"{fetch.client.shop.name}: {doubt}")
    stopped = [f.client.shop.name for f in fetches if isinstance(f.fatal, Stopped)]
    dlt.current.source_state()[UNFINISHED] = stopped
    errors = [f.fatal for f in fetches if f.fatal and not isinstance(f.fatal, Stopped)]
    if errors and len(errors) == len(fetches):
        raise errors[0]
    if errors:
        _fail_after_load(dlt.current.pipeline(), errors[0])


def _fail_after_load(pipeline: Any, error: Exception) -> None:
    """Have the run that is under way raise ``error``, once all that was read is loaded.

    Raised while rows are extracted it would keep those of the other shops from the destination.
    """
    load = pipeline.load

    def load_and_fail(*args: Any, **named: Any) -> None:
        del pipeline.load
        load(*args, **named)
        raise error

    pipeline.load = load_and_fail


@dataclass(frozen=True)
class _Resources:
    """Makes the resources of a destination, of which the other fields tell: see :func:`from_log`.

    ``log`` is asked for when the first resource is extracted.
    """

    log: Callable[[str], tuple[ChangeLog, int]]
    file_format: Any = None
    holds_rows: bool = False
    """Whether the destination may hold rows of which its state tells nothing."""

    def of(self, table: str, ended: Callable[[str], object] = lambda table: None) -> DltResource:
        """The resource of a list, with its nested lists; ``ended`` is told when it is read."""

        def read() -> Iterator[Any]:
            try:
                yield from self._read(table)
            finally:
                ended(table)

        tables = empty_tables(table)
        resource = dlt.resource(
            read,
            name=table,
            # /customFields/{type} numbers each type's fields by itself: one id, several rows.
            primary_key=("shop_id", "id", *ENDPOINTS[table].variant_columns),
            write_disposition=_MERGE,
            columns=_columns(tables.pop(table)),
            # A value that does not fit its column stops the load instead of moving to one beside.
            schema_contract={"tables": "evolve", "columns": "evolve", "data_type": "freeze"},
            file_format=self.file_format,
        )
        for name, rows in tables.items():
            self._add_nested(resource, name, rows)
        return resource

    def _add_nested(self, resource: DltResource, name: str, rows: pa.Table) -> None:
        """Let a resource fill the table of a nested list too."""
        key = ["_dlt_root_id"] if ENDPOINTS[resource.name].variants else ["shop_id", "parent_id"]
        scope = " AND ".join(f"s.{c} = {{table}}.{c}" for c in key)
        # The rows of a nested list replace those of its row, also by none: see NO_ROW.
        replacing = _MERGE | {
            "destination_scope": f"EXISTS (SELECT 1 FROM {{staging_table}} s WHERE {scope})",  # noqa: S608 - names of ours
            "source_filter": f"_dlt_list_idx > {NO_ROW}",
        }
        # A variant begins with the hints of the resource; its key and columns are not the list's.
        resource.apply_hints(table_name=name, columns={}, primary_key=[], create_table_variant=True)
        resource.apply_hints(
            table_name=name,
            columns=_columns(rows),
            write_disposition=replacing,
            file_format=self.file_format,
            create_table_variant=True,
        )

    def _read(self, table: str) -> Iterator[Any]:
        log, end = self.log(table)
        state = dlt.current.resource_state()
        resource = dlt.current.source().resources.get(table)
        known = dlt.current.source_schema().tables
        declared = empty_tables(table)
        names = {table, *declared}
        lacking = {
            name: empty
            for name, empty in declared.items()
            if set(empty.column_names) - set(known.get(name, {}).get("columns", {}))
        }
        offsets = offsets_of(log, state)
        moved = False
        nested = [name for name in known if name.startswith(f"{table}__")]
        # Offsets of another ledger are worth nothing, but rows came with them; and a load that was
        # cut off leaves rows without an offset.
        holds_rows = self.holds_rows or LEDGER in state
        for tables in log.read(table, offsets, end, nested=nested, holds_rows=holds_rows):
            moved = True
            for name, rows in tables.items():
                if name not in names:
                    if resource is not None:
                        self._add_nested(resource, name, rows.slice(0, 0))
                    names.add(name)
                if name in lacking and set(lacking[name].column_names) <= set(rows.column_names):
                    del lacking[name]
                yield _named(table, name, rows)
        for name, empty in lacking.items():
            yield _named(table, name, empty)
        if moved:
            pa.default_memory_pool().release_unused()  # the destination needs memory next
            state[LEDGER] = log.token()
            state[OFFSETS] = log.advanced(offsets, end)


def _named(table: str, name: str, rows: pa.Table) -> Any:
    """Rows for the resource's own table, whatever its user calls that, or for a nested list's."""
    return rows if name == table else dlt.mark.with_table_name(rows, name)


def offsets_of(log: ChangeLog, state: Mapping[str, Any]) -> Offsets:
    """How far a list of a destination was read, by shop, by the resource's state.

    Nowhere if what the destination holds is of another ledger.
    """
    offsets: dict[str, int] = state.get(OFFSETS, {})
    return offsets if log.knows(state.get(LEDGER), offsets) else {}


def _columns(rows: pa.Table) -> TTableSchemaColumns:
    return py_arrow_to_table_schema_columns(rows.schema)
