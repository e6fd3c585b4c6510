"""The dlt source: every list of a repair shop's service as a resource.

Data flow: service -> ledger (:mod:`repair_shop.mirror`) -> log (:mod:`repair_shop.log`) -> Arrow
tables -> the destination. A destination's place in the log is kept in dlt's state, so it is
committed with the rows it stands for; whatever is cut off is read from the ledger again, not from
the service.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
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

from .errors import Stopped
from .extract import ShopFetch
from .ledger import Ledger
from .ledger.aside import try_again
from .log import NO_ROW, Log, Offset
from .mirror import Mirror
from .schema.arrow import empty_tables
from .schema.endpoints import ENDPOINTS
from .sections import home_folder, merged, read_section
from .settings import SECTION, ShopSettings, shops_of

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
_OFFSETS = "offsets"
_APPEND: Any = {"disposition": "append"}
_MERGE: Any = {"disposition": "merge", "strategy": "delete-insert"}
LEDGER = "ledger"
"""Where a resource's state keeps :meth:`~repair_shop.log.Log.token`."""


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
    ledger_folder: str | None = None,
    max_requests: int | None = None,
    full: bool = False,
    **injection_kwargs: Any,
) -> Iterable[DltResource]:
    """All lists of a repair shop's service, incrementally and within its rate limit.

    The first run reads every selected list whole, a later one only what is new, changed or gone.
    Every answer is written to a ledger on disk before it is used: a run that is cut off goes on
    from there, and a second destination is fed from there without asking the service twice.
    Deleted rows stay, with ``_deleted_at``.

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
    feed = _Feed(_reader(home, shops_read, None if most is None else int(most), bool(reads_whole)))
    for table in ENDPOINTS:
        yield feed.resource(table)


def _known_to_dlt() -> dict[str, Any]:
    """What dlt's other places, such as a vault, hold for exactly ``sources.repair_shop``."""
    names = (*ShopSettings.model_fields, "shops")
    found: dict[str, Any] = {name: dlt.config.get(".".join((*SECTION, name))) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def from_log(
    log: Log,
    end: Offset,
    *,
    holds_rows: bool = False,
    unsure: Collection[str] = (),
    new: Collection[str] = (),
    file_format: Any = None,
) -> DltSource:
    """The same resources, up to ``end`` of a log that somebody else feeds; asks no service.

    ``holds_rows``: the destination may hold rows of lists for which its state has no offset;
    ``unsure``: and of these lists beyond their offset. ``new``: lists of which it holds none of the
    rows it is to get, so that they are appended. ``file_format``: other files than dlt would take
    for the destination.
    """

    # A schema of its own: a shared one would remember tables of a file that was lost meanwhile.
    @dlt.source(schema=_SCHEMA.clone(), section=SCHEMA)
    def source() -> Iterable[DltResource]:
        for table in ENDPOINTS:
            yield feed.resource(table)

    feed = _Feed(lambda: (log, end), holds_rows, unsure, new, file_format)
    return source()


def _reader(
    home: Path, shops: Sequence[ShopSettings], max_requests: int | None, full: bool
) -> Callable[[], tuple[Log, Offset]]:
    """Reads the selected lists when the first of them is extracted, and lends out the log."""

    @cache
    def log() -> tuple[Log, Offset]:
        selected = [name for name in dlt.current.source().selected_resources if name in ENDPOINTS]
        with Mirror(home, shops, max_requests=max_requests) as mirror:
            found = Log(Ledger(mirror.ledger_path), shops, home / "warehouse.duckdb")
            for table in selected:
                for shop in found.missing(table, _offsets(found, table)):
                    found.ask_again(table, shop)
            _tell(mirror.read(selected, full=full))
            try_again(mirror.ledger)
        return found, found.end()

    return log


def _tell(fetches: Sequence[ShopFetch]) -> None:
    """Log what is in doubt. Raises the error that kept every shop from being read."""
    errors = [f.fatal for f in fetches if f.fatal and not isinstance(f.fatal, Stopped)]
    for fetch in fetches:
        for doubt in fetch.doubts:
            logger.warning(f"{fetch.client.shop.name}: {doubt}")
    if errors and len(errors) == len(fetches):
        raise errors[0]


@dataclass(frozen=True)
class _Feed:
    """Makes the resources of a destination, of which the other fields tell: see :func:`from_log`.

    ``log`` is asked for when the first resource is extracted.
    """

    log: Callable[[], tuple[Log, Offset]]
    holds_rows: bool = False
    unsure: Collection[str] = ()
    new: Collection[str] = ()
    file_format: Any = None

    def resource(self, table: str) -> DltResource:
        """The resource of a list, with its nested lists."""

        def read() -> Iterator[Any]:
            yield from self._read(table)

        tables = empty_tables(table)
        resource = dlt.resource(
            read,
            name=table,
            primary_key=key_of(table),
            write_disposition=_APPEND if table in self.new else _MERGE,
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
        scope = " AND ".join(f"s.{c} = {{table}}.{c}" for c in nested_key(resource.name))
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
            write_disposition=_APPEND if resource.name in self.new else replacing,
            file_format=self.file_format,
            create_table_variant=True,
        )

    def _read(self, table: str) -> Iterator[Any]:
        log, end = self.log()
        state = dlt.current.resource_state()
        resource = dlt.current.source().resources[table]
        known = dlt.current.source_schema().tables
        declared = empty_tables(table)
        names = {table, *declared}
        lacking = {
            name: empty
            for name, empty in declared.items()
            if set(empty.column_names) - set(known.get(name, {}).get("columns", {}))
        }
        offsets = _offsets(log, table)
        moved = False
        nested = [name for name in known if name.startswith(f"{table}__")]
        # Offsets of another ledger are worth nothing, but rows came with them.
        holds_rows = table in self.unsure or (not offsets and (self.holds_rows or LEDGER in state))
        for tables in log.read(table, offsets, end, nested=nested, holds_rows=holds_rows):
            moved = True
            for name, rows in tables.items():
                if name not in names:
                    self._add_nested(resource, name, rows.slice(0, 0))
                    names.add(name)
                if name in lacking and set(lacking[name].column_names) <= set(rows.column_names):
                    del lacking[name]
                yield dlt.mark.with_table_name(rows, name)
        for name, empty in lacking.items():
            yield dlt.mark.with_table_name(empty, name)
        if moved:
            pa.default_memory_pool().release_unused()  # the destination needs memory next
        if moved or log.is_far(offsets, end):
            state[LEDGER] = log.token()
            state[_OFFSETS] = {
                shop: [at.page, at.tombstone] for shop, at in log.advanced(offsets, end).items()
            }


def _offsets(log: Log, table: str) -> dict[str, Offset]:
    return offsets_of(log, dlt.current.resource_state(table))


def offsets_of(log: Log, state: Mapping[str, Any]) -> dict[str, Offset]:
    """Where a list of a destination stands, by the resource's state.

    At the beginning if what the destination holds is of another ledger.
    """
    if not log.knows(state.get(LEDGER)):
        return {}
    return {shop: Offset(*at) for shop, at in state.get(_OFFSETS, {}).items()}


def key_of(table: str) -> tuple[str, ...]:
    """What makes a row of a raw table one: the shop, the id, and the variant of its list.

    ``/customFields/{type}`` numbers each type's fields by itself, so one id may stand for several.
    """
    return ("shop_id", "id", *ENDPOINTS[table].variant_columns)


def nested_key(table: str) -> tuple[str, ...]:
    """What makes the rows of a nested list those of one row of its table."""
    return ("_dlt_root_id",) if ENDPOINTS[table].variants else ("shop_id", "parent_id")


def _columns(rows: pa.Table) -> TTableSchemaColumns:
    return py_arrow_to_table_schema_columns(rows.schema)
