"""Runs the dbt models of ``transforms/`` in process: raw -> staging, marts, history.

Data flow: a private DuckDB file that holds ``raw`` and ``ops`` (nothing else has it open) -> the
same file with ``staging``, ``intermediate``, ``marts``, ``history`` and ``ops.unreadable``. Tests
of the data run along; the file is fit to be published only when :func:`build` returns.

dbt takes two seconds to import and keeps its own caches, so it is imported on first use and
everything it writes goes under ``<home>/build/dbt``, never into the project's folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

import transforms
from pipelines.load.ops import OPS_TABLES
from pipelines.load.tables import columns_of, make_table
from pipelines.transform.statuses import write_statuses
from sources.repair_shop.settings import ShopSettings

PROJECT = Path(transforms.__file__).parent
_NOT_VIEWS = ("config.materialized:table", "config.materialized:incremental", "path:tests")
_BUILD = ("build", "--exclude-resource-type", "unit_test", "--exclude", "tag:thorough")


class ModelsFailed(Exception):
    """A model or a test of the data failed; the message names it, its file and the reason.

    The private file is then half built: it must not be published. Exit code 1.
    """

    exit_code = 1


@dataclass(frozen=True)
class ModelRun:
    """What one run of the models did."""

    seconds: float
    models: int
    """Models, views and history tables built."""
    tests: int
    """Tests of the data that ran."""
    warnings: tuple[str, ...] = ()
    """Tests that found something which does not make the figures wrong."""
    findings: dict[str, int] = field(default_factory=dict)
    """Of those tests: name -> records found."""
    timings: dict[str, float] = field(default_factory=dict)
    """Seconds for each model."""


def build(
    database: Path,
    *,
    home: Path,
    shops: Sequence[ShopSettings],
    select: str | None = None,
) -> ModelRun:
    """Build and test every model inside ``database``, in place.

    ``database`` must be closed by everyone else and hold the schema ``raw``. ``home`` is
    ``$SHOPMIRROR_HOME``; ``select`` is a dbt selection, for instance ``"+daily_sales"``.
    Raises :class:`ModelsFailed` when a model or test fails.
    """
    started = time.perf_counter()
    prepare(database, shops)
    views = _fingerprint(database)
    arguments = list(_BUILD)
    if select is not None:
        arguments += ["--select", *select.split()]
    elif views == _built_fingerprint(database):
        # dbt spends more on making sixty views anew than DuckDB on reading through them.
        arguments += ["--select", *_NOT_VIEWS]
    results = _invoke(arguments, _at(database), home)
    if select is None:
        _remember(database, views)
    return _summary(results, time.perf_counter() - started)


def build_at(target: str, environment: Mapping[str, str], *, home: Path) -> ModelRun:
    """Build and test every model on another engine, where ``raw`` and ``ops`` already are.

    ``target`` is one of ``transforms/profiles.yml`` (``postgres``, ``spark``), ``environment`` what
    it takes from there. Raises :class:`ModelsFailed`.
    """
    started = time.perf_counter()
    results = _invoke(_BUILD, environment, home, target)
    return _summary(results, time.perf_counter() - started)


def unit_tests(database: Path, *, home: Path) -> ModelRun:
    """Run the models' unit tests; they need the staging tables built in ``database``."""
    started = time.perf_counter()
    results = _invoke(["test", "--select", "test_type:unit"], _at(database), home)
    return _summary(results, time.perf_counter() - started)


def docs(database: Path, *, home: Path, out: Path) -> Path:
    """Write the data dictionary and lineage as one HTML page that opens offline; returns it."""
    _invoke(["docs", "generate", "--static"], _at(database), home)
    out.parent.mkdir(parents=True, exist_ok=True)
    page = (_state(home) / "target" / "static_index.html").read_text(encoding="utf-8")
    # The page is made to be passed on; where this machine keeps its files is nobody's business.
    for folder in (home.resolve(), PROJECT.resolve()):
        page = page.replace(json.dumps(str(folder))[1:-1], ".")
    out.write_text(page, encoding="utf-8")
    return out


def prepare(database: Path, shops: Sequence[ShopSettings]) -> None:
    """Make sure the ``ops`` tables that the models read are there, know these shops and what their
    statuses mean. Definitions of the reports that were chosen earlier are left alone.
    """
    with duckdb.connect(str(database)) as connection:
        connection.execute("create schema if not exists ops")
        held = columns_of(connection, "ops")
        for table in ("shops", "service_reports", "pipeline_looks", "statuses"):
            make_table(connection, "ops", table, OPS_TABLES[table], held.get(table))
        for shop in shops:
            accounts = [part.strip().lower() for part in shop.shop_accounts.split(",")]
            values = [
                shop.timezone,
                shop.currency,
                shop.closed_weekdays,
                shop.closed_days,
                shop.opening_hours,
                f",{','.join(filter(None, accounts))},",
                shop.today_by,
                shop.name,
            ]
            connection.execute(
                "insert into ops.shops (shop_id) select ? "
                "where not exists (select 1 from ops.shops where shop_id = ?)",
                [shop.name, shop.name],
            )
            connection.execute(
                "update ops.shops set timezone = ?, currency = ?, closed_weekdays = ?, "
                "closed_days = ?, opening_hours = ?, shop_accounts = ?, today_by = ? "
                "where shop_id = ?",
                values,
            )
        write_statuses(connection, shops)


def _fingerprint(database: Path) -> str:
    """Names what the views are made of: the project's files, raw's columns, the views there are."""
    digest = hashlib.sha256()
    for path in sorted(PROJECT.rglob("*")):
        if path.suffix in {".sql", ".yml"}:
            digest.update(f"{path.relative_to(PROJECT)}\0".encode())
            digest.update(path.read_bytes())
    with duckdb.connect(str(database)) as connection:
        columns = connection.execute(
            "select table_name, column_name, data_type from information_schema.columns "
            "where table_schema = 'raw' or table_name = 'shops' order by all"
        ).fetchall()
        views = connection.execute(
            "select schema_name, view_name from duckdb_views() "
            "where schema_name in ('staging', 'intermediate', 'history') order by all"
        ).fetchall()
    digest.update(repr((columns, views)).encode())
    return digest.hexdigest()


def _built_fingerprint(database: Path) -> str | None:
    with duckdb.connect(str(database)) as connection:
        connection.execute("create table if not exists ops.models (views varchar)")
        found = connection.execute("select views from ops.models").fetchone()
    return None if found is None else str(found[0])


def _remember(database: Path, before: str) -> None:
    after = _fingerprint(database)
    if after != before or _built_fingerprint(database) != after:
        with duckdb.connect(str(database)) as connection:
            connection.execute("delete from ops.models")
            connection.execute("insert into ops.models values (?)", [after])


def _state(home: Path) -> Path:
    return (home / "build" / "dbt").resolve()


def _at(database: Path) -> dict[str, str]:
    return {"SHOPMIRROR_DUCKDB": str(database.resolve())}


def _invoke(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    home: Path,
    target: str = "warehouse",
) -> list[Any]:
    """One dbt command in this process; its node results, or :class:`ModelsFailed`."""
    os.environ.setdefault("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
    from dbt.cli.main import dbtRunner

    state = _state(home)
    state.mkdir(parents=True, exist_ok=True)
    os.environ.update(environment)
    places = {
        "--project-dir": PROJECT,
        "--profiles-dir": PROJECT,
        "--target": target,
        # What dbt remembers of a project is of one target.
        "--target-path": state / ("target" if target == "warehouse" else f"target-{target}"),
        "--log-path": state / "logs",
    }
    options = [str(part) for pair in places.items() for part in pair]
    quiet = ["--quiet", "--log-level", "none", "--log-level-file", "info", "--no-version-check"]
    if arguments[0] != "docs":
        quiet.append("--no-write-json")  # a second of CPU for files that only the dictionary needs
    try:
        outcome = dbtRunner().invoke([*quiet, *arguments, *options])
    finally:
        _release()
    results = list(getattr(outcome.result, "results", None) or [])
    faults = [result for result in results if _is_fault(result)]
    if faults:
        raise ModelsFailed("\n".join(_told(result) for result in faults))
    if not outcome.success:
        reason = str(outcome.exception or "dbt gave no reason")
        raise ModelsFailed(f"The models could not be run: {_one_line(reason)}")
    return results


def _release() -> None:
    """Close the file. dbt-duckdb would do it itself, but then after every model, with a
    checkpoint each time, which doubles the time of a run.
    """
    from dbt.adapters.duckdb.connections import DuckDBConnectionManager

    environment = DuckDBConnectionManager._ENV
    if environment is not None:
        environment.close()
        DuckDBConnectionManager._ENV = None


def _is_fault(result: Any) -> bool:
    return str(result.status) in {"error", "fail", "runtime error"}


def _told(result: Any) -> str:
    node = result.node
    kind = {"test": "Test", "unit_test": "Unit test"}.get(str(node.resource_type), "Model")
    return (
        f"{kind} {node.name} (transforms/{node.original_file_path}): "
        f"{_one_line(str(result.message or 'no message'))}"
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _summary(results: Sequence[Any], seconds: float) -> ModelRun:
    tests = [r for r in results if str(r.node.resource_type) in {"test", "unit_test"}]
    built = [r for r in results if str(r.node.resource_type) in {"model", "seed"}]
    return ModelRun(
        seconds=seconds,
        models=len(built),
        tests=len(tests),
        warnings=tuple(_told(r) for r in tests if str(r.status) == "warn"),
        findings={r.node.name: int(r.failures or 0) for r in tests if str(r.status) == "warn"},
        timings={r.node.name: r.execution_time for r in built},
    )
