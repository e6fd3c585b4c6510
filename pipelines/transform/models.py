"""Builds the models of ``transforms/``: raw -> staging, marts, history. In one of two ways.

- As shipped: the statements that came with the project and were tested with it
  (:mod:`pipelines.transform.compiled`), without dbt.
- Edited, where any file of it differs, or ``[warehouse] models`` names a folder: dbt itself, for
  everything (:mod:`pipelines.transform.dbt`).

Data flow: a private DuckDB file that holds ``raw`` and ``ops`` (nothing else has it open) -> the
same file with ``staging``, ``intermediate``, ``marts``, ``history`` and ``ops.unreadable``. Tests
of the data run along; the file is fit to be published only when :func:`build` returns.
"""

import json
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import duckdb

import transforms
from pipelines.load.tables import make_ops, put_row
from pipelines.settings import ShopSettings, parts
from pipelines.transform import compiled, dbt
from pipelines.transform.dbt import ModelsFailed as ModelsFailed
from pipelines.transform.execute import MEMORY, Result, execute
from pipelines.transform.statuses import write_statuses

PROJECT = Path(transforms.__file__).parent


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
    project: Path | None = None,
    memory: int = MEMORY,
) -> ModelRun:
    """Build and test every model inside ``database``, in place.

    ``database`` must be closed by everyone else and hold the schema ``raw``. ``home`` is
    ``$SHOPMIRROR_HOME``; ``select`` the name of one model or test, or a folder of models
    (``"models/history"``); ``project`` a folder of somebody's own; ``memory`` as
    :func:`~pipelines.transform.execute.execute` has it. Raises :class:`ModelsFailed` when a model
    or test fails, or dbt is needed and not there.
    """
    started = time.perf_counter()
    prepare(database, shops)
    if edits(project):
        chosen = ["--select", select if "/" not in select else f"path:{select}"] if select else []
        arguments, environment = [*dbt.BUILD, *chosen], dbt.at_file(database)
        results = dbt.invoke(project or PROJECT, arguments, home=home, environment=environment)
    else:
        nodes = compiled.read(PROJECT)
        if select:
            nodes = [n for n in nodes if select in (n.name, Path(n.path).parent.as_posix())]
        with duckdb.connect(str(database)) as connection:
            results = execute(connection, nodes, PROJECT, datetime.now(UTC), memory)
        if faults := [str(result) for result in results if result.status == "fail"]:
            raise ModelsFailed("\n".join(faults))
    return _summary(results, time.perf_counter() - started)


def edits(project: Path | None = None) -> list[str]:
    """What makes dbt build the models: a folder of somebody's own, or files that differ from those
    that were shipped. Empty where the shipped statements are carried out.
    """
    return [str(project)] if project else compiled.edited(PROJECT)


def way(project: Path | None = None) -> str:
    """In which way the models are built, in words."""
    if not (found := edits(project)):
        return "as shipped"
    if project:
        return f"by dbt, from {project}"
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return f"by dbt, since {', '.join(found[:3])}{more} differ from what was shipped"


def copy_project(folder: Path) -> None:
    """Write the project to a new folder, to be edited there; :class:`FileExistsError`."""
    left_out = shutil.ignore_patterns(compiled.FOLDER, "__pycache__", "__init__.py", "target")
    shutil.copytree(PROJECT, folder, ignore=left_out)


def build_at(
    target: str,
    environment: dict[str, str],
    *,
    home: Path,
    suffix: str = "",
    project: Path | None = None,
) -> ModelRun:
    """Build and test every model on another engine, where ``raw`` and ``ops`` already are.

    ``target`` is one of ``transforms/profiles.yml`` (``postgres``, ``spark``), ``environment`` what
    it takes from there; ``suffix`` keeps schemas that are not to be read yet apart. Raises
    :class:`ModelsFailed`.
    """
    started = time.perf_counter()
    arguments = [*dbt.BUILD, "--vars", json.dumps({"schema_suffix": suffix})]
    results = dbt.invoke(
        project or PROJECT, arguments, home=home, target=target, environment=environment
    )
    return _summary(results, time.perf_counter() - started)


def docs(database: Path, *, home: Path, out: Path, project: Path | None = None) -> Path:
    """Write the data dictionary and lineage as one HTML page that opens offline; returns it."""
    arguments = ["docs", "generate", "--static"]
    dbt.invoke(project or PROJECT, arguments, home=home, environment=dbt.at_file(database))
    out.parent.mkdir(parents=True, exist_ok=True)
    page = (dbt.target_folder(home) / "static_index.html").read_text(encoding="utf-8")
    # The page is made to be passed on; where this machine keeps its files is nobody's business.
    for folder in (home.resolve(), (project or PROJECT).resolve()):
        page = page.replace(json.dumps(str(folder))[1:-1], ".")
    out.write_text(page, encoding="utf-8")
    return out


def prepare(database: Path, shops: Sequence[ShopSettings]) -> None:
    """Make sure the ``ops`` tables that the models read are there, know these shops and what their
    statuses mean. Definitions of the reports that were chosen earlier are left alone.
    """
    with duckdb.connect(str(database)) as connection:
        make_ops(connection)
        for shop in shops:
            named = ",".join(parts(shop.shop_accounts.lower()))
            values = {
                "shop_id": shop.name,
                "timezone": shop.timezone,
                "currency": shop.currency,
                "closed_weekdays": shop.closed_weekdays,
                "closed_days": shop.closed_days,
                "opening_hours": shop.opening_hours,
                # Of none ``,,`` would be that of a technician without a name.
                "shop_accounts": f",{named}," if named else "",
                "today_by": shop.today_by,
            }
            put_row(connection, "ops.shops", "shop_id", values)
        write_statuses(connection, shops)


def _summary(results: Sequence[Result], seconds: float) -> ModelRun:
    tests = [result for result in results if result.kind.endswith("est")]
    built = [result for result in results if not result.kind.endswith("est")]
    return ModelRun(
        seconds=seconds,
        models=len(built),
        tests=len(tests),
        findings={result.name: result.records for result in tests if result.status == "warn"},
        timings={result.name: result.seconds for result in built},
    )
