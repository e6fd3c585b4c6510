"""``make models``: the statements that a build carries out as shipped, anew after an edit.

First what follows from the declared lists (:mod:`bench.staging`). Then dbt builds the models of
``transforms/`` over empty tables, those of which only rows are added once more as on all later
nights. What its own files say of it (``manifest.json``, ``run_results.json``) is written to
``transforms/compiled``.
"""

import json
import shutil
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

from bench import staging
from pipelines.transform import compiled, dbt
from pipelines.transform.models import PROJECT, prepare
from tests.warehouse.raw import Raw

_TESTS = 900
"""Depth of tests, below that of any model."""
_MOMENT = ["--vars", json.dumps({"build_moment": compiled.MOMENT})]
_ALL = ["--exclude", "tag:thorough", "resource_type:unit_test"]


def main() -> None:
    """Write the files."""
    staging.write(PROJECT)
    write(PROJECT)


def write(project: Path) -> None:
    """Write the folder ``compiled`` of a project anew."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        raw = Raw(home / "empty.duckdb")
        prepare(raw.path, [])
        environment = dbt.at_file(raw.path)

        def compile_(*arguments: str) -> dict[str, str]:
            dbt.invoke(
                project, ["compile", *_MOMENT, *arguments], home=home, environment=environment
            )
            return _compiled(home, raw.path.stem)

        first = compile_(*_ALL)  # no relation is there yet
        dbt.invoke(project, dbt.BUILD, home=home, environment=environment)
        later = compile_("--select", "config.materialized:incremental")
        manifest = json.loads((dbt.target_folder(home) / "manifest.json").read_text("utf-8"))
        with duckdb.connect(str(raw.path)) as connection:
            columns = connection.execute(
                "select table_schema || '.' || table_name, column_name "
                "from information_schema.columns"
            ).fetchall()
    target = project / compiled.FOLDER
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    nodes = {name: manifest["nodes"][name] for name in first}
    comments: dict[str, dict[str, str]] = {}
    for name, node in nodes.items():
        depth = _TESTS if node["resource_type"] == "test" else _depth(nodes, name)
        compiled.write(target, depth, _node(nodes, name, first[name], later.get(name, "")))
        if node["resource_type"] == "model":
            relation = f"{node['schema']}.{node['alias']}"
            said = _said(node)
            comments[relation] = {c: said[c] for c in said if not c or (relation, c) in columns}
    for source in manifest["sources"].values():
        if source["schema"] == "ops":  # no model, but readers meet it
            comments[f"ops.{source['name']}"] = _said(source)
    text = json.dumps(dict(sorted(comments.items())), ensure_ascii=False, indent=1)
    (target / compiled.COMMENTS).write_text(f"{text}\n", encoding="utf-8")
    lines = [f"{digest}  {name}\n" for name, digest in compiled.files(project).items()]
    (target / compiled.FILES).write_text("".join(lines), encoding="utf-8")


def _said(node: Mapping[str, Any]) -> dict[str, str]:
    """Column -> what it means, of those that have a word on them; the relation's own under ""."""
    said = {"": node["description"]}
    said |= {column: told["description"] for column, told in node["columns"].items()}
    return {column: text.strip() for column, text in said.items() if text}


def _compiled(home: Path, database: str) -> dict[str, str]:
    """Models and tests that a command compiled -> the statement, without the file's own name."""
    results = json.loads((dbt.target_folder(home) / "run_results.json").read_text("utf-8"))
    return {
        result["unique_id"]: result["compiled_code"].replace(f'"{database}".', "").strip()
        for result in results["results"]
        if result["unique_id"].startswith(("model.", "test."))
    }


def _depth(nodes: Mapping[str, Any], name: str) -> int:
    """How many models deep one stands on ``raw``."""

    @cache
    def depth(one: str) -> int:
        above = [depth(other) for other in nodes[one]["depends_on"]["nodes"] if other in nodes]
        return 1 + max(above, default=-1)

    return depth(name)


def _node(nodes: Mapping[str, Any], name: str, sql: str, later: str) -> compiled.Node:
    node = nodes[name]
    tests = sorted(other["name"] for other in nodes.values() if other.get("attached_node") == name)
    config, path = node["config"], node["original_file_path"]
    if node["resource_type"] == "test":
        return compiled.Node(
            node["name"],
            path,
            "test",
            sql,
            severity=config["severity"].lower(),
            fail_calc=config["fail_calc"],
            warn_if=config["warn_if"],
            error_if=config["error_if"],
            stores=f"{node['schema']}.{node['alias']}" if config.get("store_failures") else "",
        )
    return compiled.Node(
        node["name"],
        path,
        config["materialized"],
        sql,
        node["schema"],
        node["alias"],
        later,
        tests=", ".join(tests),
    )


if __name__ == "__main__":
    main()
