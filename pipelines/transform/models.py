"""Runs the dbt models of ``transforms/`` in process: raw -> staging, marts, history.

Data flow: a private DuckDB file that holds ``raw`` and ``ops`` (nothing else has it open) -> the
same file with ``staging``, ``intermediate``, ``marts``, ``history`` and ``ops.unreadable``. Tests
of the data run along; the file is fit to be published only when :func:`build` returns.

The statements are dbt's (:mod:`pipelines.transform.compiled`), but a build on DuckDB does without
dbt unless the project was edited since they were made. It takes two seconds to import and keeps its
own caches, so it is imported on first use and everything it writes goes under ``<home>/build/dbt``.
"""

import json
import logging
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

import transforms
from pipelines.load.ops import OPS_TABLES
from pipelines.load.tables import columns_of, make_table
from pipelines.settings import ShopSettings
from pipelines.sql import literal, written
from pipelines.transform import compiled
from pipelines.transform.incremental import DIFFERS, Ask, LastBuild, contents, differing
from pipelines.transform.runner import Result, run
from pipelines.transform.statuses import write_statuses

log = logging.getLogger(__name__)
PROJECT = Path(transforms.__file__).parent
_BUILD = ("build", "--exclude-resource-type", "unit_test", "--exclude", "tag:thorough")
_COMPILE = ("compile", "--exclude", "tag:thorough", "resource_type:unit_test", "--vars")


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
    findings: dict[str, int] = field(default_factory=dict)
    """Tests that found something which does not make the figures wrong -> records found."""
    timings: dict[str, float] = field(default_factory=dict)
    """Seconds for each model."""


def build(
    database: Path,
    *,
    home: Path,
    shops: Sequence[ShopSettings],
    select: str | None = None,
) -> ModelRun:
    """Build and test every model inside ``database``, in place; of large tables only what depends
    on rows that changed, where :mod:`pipelines.transform.incremental` lets it.

    ``database`` must be closed by everyone else and hold the schema ``raw``. ``home`` is
    ``$SHOPMIRROR_HOME``; ``select`` is the name of one model or test, or a folder of models
    (``"models/history"``). Raises :class:`ModelsFailed` when a model or test fails.
    """
    started = time.perf_counter()
    prepare(database, shops)
    nodes = statements(database, home=home)
    with duckdb.connect(str(database)) as connection:
        last = LastBuild(_asking(connection), compiled.fingerprint(PROJECT))
        last.begin()
        if select is not None:
            chosen = (n for n in nodes if select in (n.name, Path(n.path).parent.as_posix()))
            results = _checked(run(connection, [*chosen], datetime.now(UTC)))
        else:
            results = _build(connection, nodes, last)
    return _summary(results, time.perf_counter() - started)


def _build(
    connection: duckdb.DuckDBPyConnection, nodes: Sequence[compiled.Node], last: LastBuild
) -> list[Result]:
    """What changed; all of it, if that does not do, or cannot; both, if it is to be proven."""
    fault: Result | None = None
    kept: Mapping[str, str] = {}
    now = datetime.now(UTC)  # one for both: a midnight between them would be a difference
    if last.stands:
        wanted = [node for node in nodes if node.kind != "test"] if last.is_due else nodes
        results = [*run(connection, wanted, now, changed_only=True)]
        fault = next((result for result in results if result.status == "fail"), None)
        if fault is None and not last.is_due:
            last.ended(whole=False)
            return results
        kept = {} if fault else contents(_asking(connection), nodes)
    results = _checked(run(connection, nodes, now))
    told = [f"{fault.told} in a build of what changed"] if fault else []
    told += differing(kept, contents(_asking(connection), nodes)) if kept else []
    if told:
        path = "models/intermediate/changed"
        message = f"{'; '.join(told)}. All tables are those of a whole build now"
        log.warning(message)
        results.append(Result(DIFFERS, path, "Test", "warn", message, len(told)))
    last.ended(whole=True)
    return results


def _asking(connection: duckdb.DuckDBPyConnection) -> Ask:
    return lambda sql: connection.execute(sql).fetchall()


def statements(database: Path, *, home: Path) -> list[compiled.Node]:
    """The statements of a build: those that came with the project or, when its files were edited
    since, those that dbt makes of it now, over empty tables like those of ``database``.
    """
    of, kept = compiled.fingerprint(PROJECT), _state(home) / compiled.FILE
    for path in (PROJECT / compiled.FILE, kept):
        if (nodes := compiled.read(path, of)) is not None:
            return nodes
    empty = _state(home) / "empty.duckdb"
    empty.parent.mkdir(parents=True, exist_ok=True)
    empty.unlink(missing_ok=True)
    _empty_copy(database, empty)
    nodes = compile_in(empty, home=home)
    empty.unlink()
    compiled.write(kept, of, nodes)
    return nodes


def compile_in(database: Path, *, home: Path) -> list[compiled.Node]:
    """Let dbt build every model in ``database``, where none is yet; the statements it used."""
    results = _invoke(_BUILD, _at(database), home)
    again = _invoke(["compile", "--select", "config.materialized:incremental"], _at(database), home)
    narrow = _invoke([*_COMPILE, '{"changed_only": true}'], _at(database), home)
    columns: dict[str, set[str]] = {}
    with duckdb.connect(str(database)) as connection:
        for schema, table, column in connection.execute(
            "select table_schema, table_name, column_name from information_schema.columns"
        ).fetchall():
            columns.setdefault(f"{schema}.{table}", set()).add(column)
    return compiled.nodes(results, again, narrow, database.stem, columns)


def build_at(
    target: str, environment: Mapping[str, str], *, home: Path, suffix: str = ""
) -> ModelRun:
    """Build and test every model on another engine, where ``raw`` and ``ops`` already are.

    ``target`` is one of ``transforms/profiles.yml`` (``postgres``, ``spark``), ``environment`` what
    it takes from there; ``suffix`` keeps schemas that are not to be read yet apart. Raises
    :class:`ModelsFailed`.
    """
    started = time.perf_counter()
    arguments = [*_BUILD, "--vars", json.dumps({"schema_suffix": suffix})]
    results = _invoke(arguments, environment, home, target)
    return _summary([*map(_result, results)], time.perf_counter() - started)


def run_macro(name: str, arguments: Mapping[str, str], target: str, *, home: Path) -> None:
    """Carry out one of ``transforms/macros`` at another engine; raises :class:`ModelsFailed`."""
    _invoke(["run-operation", name, "--args", json.dumps(arguments)], {}, home, target)


def changes_at(
    target: str, environment: Mapping[str, str], *, home: Path, suffix: str
) -> list[compiled.Node]:
    """The statements of a build of what changed on another engine, where a whole one has been, as
    :func:`build_at` names it; dbt is asked for them once.
    """
    kept, of = _state(home) / f"{target}.jsonl", compiled.fingerprint(PROJECT)
    if (nodes := compiled.read(kept, of)) is None:
        variables = json.dumps({"schema_suffix": suffix, "changed_only": True})
        found = _invoke([*_COMPILE, variables], environment, home, target)
        nodes = compiled.of_changed(found, environment["SHOPMIRROR_POSTGRES_DATABASE"], suffix)
        compiled.write(kept, of, nodes)
    return nodes


def unit_tests(database: Path, *, home: Path) -> ModelRun:
    """Run the models' unit tests; they need the staging tables built in ``database``."""
    started = time.perf_counter()
    results = _invoke(["test", "--select", "test_type:unit"], _at(database), home)
    return _summary([*map(_result, results)], time.perf_counter() - started)


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
            named = ",".join(filter(None, accounts))
            values = {
                "shop": shop.name,
                "zone": shop.timezone,
                "currency": shop.currency,
                "weekdays": shop.closed_weekdays,
                "days": shop.closed_days,
                "hours": shop.opening_hours,
                # Of none ``,,`` would be that of a technician without a name.
                "accounts": f",{named}," if named else "",
                "today": shop.today_by,
            }
            for sql in (
                "insert into ops.shops (shop_id) select $shop "
                "where not exists (select 1 from ops.shops where shop_id = $shop)",
                "update ops.shops set timezone = $zone, currency = $currency, "
                "closed_weekdays = $weekdays, closed_days = $days, opening_hours = $hours, "
                "shop_accounts = $accounts, today_by = $today where shop_id = $shop",
            ):
                connection.execute(written(sql, values))
        write_statuses(connection, shops)


def _empty_copy(database: Path, target: Path) -> None:
    """The tables that the models read, without their rows."""
    with duckdb.connect(str(target)) as connection:
        connection.execute(f"attach {literal(str(database))} as whole (read_only)")
        for schema, table in connection.execute(
            "select schema_name, table_name from duckdb_tables() where database_name = 'whole' "
            "and schema_name in ('raw', 'ops') and table_name <> 'unreadable'"
        ).fetchall():
            connection.execute(f"create schema if not exists {schema}")
            name = f'{schema}."{table}"'
            connection.execute(f"create table {name} as from whole.{name} limit 0")


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
    _checked(_result(result) for result in results if hasattr(result, "node"))
    if not outcome.success:
        said = [str(result.message) for result in results if result.message]
        reason = str(outcome.exception or "; ".join(said) or "dbt gave no reason")
        raise ModelsFailed(f"The models could not be run: {' '.join(reason.split())}")
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


def _result(result: Any) -> Result:
    """What dbt says of a node, in our words."""
    node, status = result.node, str(result.status)
    return Result(
        node.name,
        node.original_file_path,
        {"test": "Test", "unit_test": "Unit test"}.get(str(node.resource_type), "Model"),
        "fail" if status in {"error", "fail", "runtime error"} else status,
        str(result.message or ""),
        int(result.failures or 0),
        result.execution_time,
    )


def _checked(results: Iterable[Result]) -> list[Result]:
    """The results, if none is a fault."""
    found = list(results)
    if faults := [result.told for result in found if result.status == "fail"]:
        raise ModelsFailed("\n".join(faults))
    return found


def _summary(results: Sequence[Result], seconds: float) -> ModelRun:
    tests = [result for result in results if result.kind != "Model"]
    built = [result for result in results if result.kind == "Model"]
    return ModelRun(
        seconds=seconds,
        models=len(built),
        tests=len(tests),
        findings={result.name: result.records for result in tests if result.status == "warn"},
        timings={result.name: result.seconds for result in built},
    )
