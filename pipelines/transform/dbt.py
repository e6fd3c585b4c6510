"""dbt itself, in this process: it builds an edited project, and the models on other engines.

Data flow: ``raw`` and ``ops`` at a target of ``profiles.yml`` -> one dbt command over a project ->
``run_results.json`` and ``manifest.json`` -> results in our words. What dbt writes goes under
``<home>/build/dbt``. It is an extra (``shopmirror[dbt]``) and takes two seconds to import.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pipelines.transform.execute import Result

BUILD = ("build", "--exclude-resource-type", "unit_test", "--exclude", "tag:thorough")
"""All that a project has, but what is for those who write models."""
_KINDS = {"test": "Test", "unit_test": "Unit test", "seed": "Seed", "snapshot": "Snapshot"}


class ModelsFailed(Exception):
    """A model or a test of the data failed; the message names it, its file and the reason.

    The private file is then half built: it must not be published. Exit code 1.
    """

    exit_code = 1


def is_there(adapter: str = "duckdb") -> bool:
    """Whether dbt and its package for a kind of database are installed."""
    return find_spec("dbt") is not None and find_spec(f"dbt.adapters.{adapter}") is not None


def invoke(
    project: Path,
    arguments: Sequence[str],
    *,
    home: Path,
    target: str = "warehouse",
    environment: Mapping[str, str] | None = None,
) -> list[Result]:
    """One dbt command. ``environment`` is what ``profiles.yml`` takes from there.

    Raises :class:`ModelsFailed` when dbt, a model or a test of the data fails.
    """
    if not is_there():
        raise ModelsFailed(
            "dbt is not installed, which builds edited models, other warehouses and the lineage: "
            "pip install 'shopmirror[dbt]'. Models as they were shipped need none of it."
        )
    written = target_folder(home, target)
    for name in ("run_results.json", "manifest.json"):
        (written / name).unlink(missing_ok=True)
    options = {
        "--project-dir": project,
        "--profiles-dir": project,
        "--target": target,
        "--target-path": written,
        "--log-path": home.resolve() / "build" / "dbt" / "logs",
    }
    quiet = ["--quiet", "--log-level", "none", "--log-level-file", "info", "--no-version-check"]
    with _environment({"DBT_SEND_ANONYMOUS_USAGE_STATS": "false", **(environment or {})}):
        from dbt.cli.main import dbtRunner

        words = [str(part) for pair in options.items() for part in pair]
        try:
            outcome = dbtRunner().invoke([*quiet, *arguments, *words])
        finally:
            _release()
    results = _results(written, project)
    if faults := [str(result) for result in results if result.status == "fail"]:
        raise ModelsFailed("\n".join(faults))
    if not outcome.success:
        said = "; ".join(
            str(r.message) for r in getattr(outcome.result, "results", ()) if r.message
        )
        reason = " ".join(str(outcome.exception or said or "dbt gave no reason").split())
        raise ModelsFailed(f"The models could not be run: {reason}")
    return results


def target_folder(home: Path, target: str = "warehouse") -> Path:
    """Where dbt puts what it made of a project: what it remembers is of one target."""
    state = home.resolve() / "build" / "dbt"
    return state / ("target" if target == "warehouse" else f"target-{target}")


def at_file(database: Path) -> dict[str, str]:
    """What the target ``warehouse`` takes from the environment."""
    return {"SHOPMIRROR_DUCKDB": str(database.resolve())}


def _results(written: Path, project: Path) -> list[Result]:
    """What a command's own files say, which are the same from dbt 1 to 2."""
    if not (written / "run_results.json").exists():
        return []
    manifest = json.loads((written / "manifest.json").read_text(encoding="utf-8"))
    results = json.loads((written / "run_results.json").read_text(encoding="utf-8"))["results"]
    nodes = manifest["nodes"] | manifest.get("unit_tests", {})
    return [
        _result(nodes[result["unique_id"]], result, project)
        for result in results
        if result["unique_id"] in nodes
    ]


def _result(node: Mapping[str, Any], result: Mapping[str, Any], project: Path) -> Result:
    status = str(result["status"])
    return Result(
        str(node["name"]),
        f"{project.name}/{node['original_file_path']}",
        _KINDS.get(str(node["resource_type"]), "Model"),
        "fail" if status in {"error", "fail", "runtime error"} else status,
        str(result.get("message") or ""),
        int(result.get("failures") or 0),
        float(result.get("execution_time") or 0),
    )


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """What is set for a while: no later child of this process needs a password."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _release() -> None:
    """Close the file. dbt-duckdb would do it itself, but then after every model, with a
    checkpoint each time, which doubles the time of a run.
    """
    from dbt.adapters.duckdb.connections import DuckDBConnectionManager

    environment = DuckDBConnectionManager._ENV
    if environment is not None:
        environment.close()
        DuckDBConnectionManager._ENV = None
