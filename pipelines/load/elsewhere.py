"""Further destinations of the same ledger: any that dlt knows, beside the product's own file.

Data flow: the log of the ledger -> the dlt source -> ``raw`` at each destination that
``[warehouse] also`` names, and the ``ops`` tables of the private file beside it, so that the models
can be built there. Nothing is asked of the service. How far a destination has read the log stands
in its own dlt state, committed with its rows: one that was away for a month is brought up to date
by the next sync, from the ledger or, where answers are no longer kept, from the warehouse.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from pipelines.home import Home
from pipelines.load.loader import LoadError, dlt_environment, row_counts
from pipelines.load.ops import OPS_TABLES
from sources.repair_shop.errors import first_line
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.log import Log
from sources.repair_shop.schema.endpoints import ENDPOINTS
from sources.repair_shop.settings import load_section, read_section

if TYPE_CHECKING:
    import dlt

_KEY = "pipeline"


class WarehouseSettings(BaseModel):
    """Where the rows go besides ``warehouse.duckdb``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    also: tuple[str, ...] = Field((), description="dlt destinations that each sync loads too")

    @field_validator("also", mode="before")
    @classmethod
    def _names(cls, value: object) -> object:
        return (
            tuple(filter(None, value.replace(",", " ").split()))
            if isinstance(value, str)
            else value
        )


def load_warehouse() -> WarehouseSettings:
    """The ``[warehouse]`` section; ``SettingsError`` names all faults."""
    return load_section("warehouse", WarehouseSettings)


def load_elsewhere(home: Home, ledger: Ledger, log: Log, name: str) -> int:
    """Bring a destination up to the end of the log; the number of rows that were new to it.

    :class:`~pipelines.load.loader.LoadError` in words without secrets, whatever went wrong: the
    product's own warehouse must not suffer from it.
    """
    from sources.repair_shop.source import from_log

    try:
        raw = _pipeline(home, ledger, name, "raw")
        raw.run(from_log(log, log.end(), holds_rows=True)).raise_on_failed_jobs()
        rows = sum(row_counts(raw).get(table, 0) for table in ENDPOINTS)
        _pipeline(home, ledger, name, "ops").run(list(_ops(home))).raise_on_failed_jobs()
    except Exception as error:
        raise LoadError(
            f"The destination '{name}' of [warehouse] could not be loaded: "
            f"{_without_secrets(first_line(_root(error)))} The next sync brings it what it lacks; "
            "the warehouse itself is complete."
        ) from error
    return rows


def _pipeline(home: Home, ledger: Ledger, name: str, dataset: str) -> dlt.Pipeline:
    folder = home.path / "build" / f"dlt-{name}"
    if dataset == "raw":
        # What a load that was cut off has left; the destination's own state is believed.
        shutil.rmtree(folder, ignore_errors=True)
    dlt_environment(home)
    import dlt

    # Homes that share a destination have each a state of its own there.
    identity = ledger.value("", _KEY)
    if not identity:
        identity = uuid.uuid4().hex[:12]
        ledger.set_value("", _KEY, identity)
    pipeline = dlt.pipeline(
        f"shopmirror_{dataset}_{identity}",
        pipelines_dir=str(folder),
        destination=name,
        dataset_name=dataset,
    )
    pipeline.sync_destination()
    return pipeline


def _ops(home: Home) -> Iterator[Any]:
    """The ``ops`` tables as they stand, each replaced whole."""
    import dlt
    from dlt.common.libs.pyarrow import py_arrow_to_table_schema_columns

    with home.open_build(read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for table in OPS_TABLES:
            rows = connection.execute(f'FROM ops."{table}"').to_arrow_table()
            yield dlt.resource(
                [rows],
                name=table,
                write_disposition="replace",
                columns=py_arrow_to_table_schema_columns(rows.schema),
            )


def _root(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _without_secrets(text: str) -> str:
    for secret in sorted(_secrets(read_section("destination")), key=len, reverse=True):
        text = text.replace(secret, "***")
    return text


def _secrets(values: Mapping[str, Any], is_secret: bool = False) -> Iterator[str]:
    for name, value in values.items():
        inside = is_secret or any(w in name for w in ("credential", "password", "key", "token"))
        if isinstance(value, Mapping):
            yield from _secrets(value, inside)
        elif inside and isinstance(value, str) and len(value) > 3:
            yield value
            if (password := urlsplit(value).password) and len(password) > 3:
                yield from {password, unquote(password)}
