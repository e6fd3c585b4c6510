"""The statements of a build on DuckDB, as dbt makes them of ``transforms/``.

dbt takes ten seconds of processor time to work out statements that DuckDB carries out in one, and
that are the same every night until someone edits the project. So they are kept:
``transforms/compiled.jsonl`` has a line for each model, view and test of the data, in the order of
a build, below one that says of which files they were made. ``make models`` writes it anew.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from pipelines.json_file import write_atomically

FILE = "compiled.jsonl"
_READ = {".sql", ".yml", ".md"}
NOW = "{run_started_at}"
"""Stands in statements for the moment at which the build began (UTC)."""
_MOMENT = re.compile(r"cast\('\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?' as timestamp\)")


@dataclass(frozen=True)
class Node:
    """One model, view or test of the data."""

    name: str
    path: str
    """Its file, below ``transforms/``."""
    kind: str
    """``table``, ``view``, ``incremental`` (rows are only added), ``test``, or, in a build of what
    changed, ``kept``."""
    sql: str
    schema: str = ""
    table: str = ""
    later: str = ""
    """Of an incremental one: the statement for when its table is already there."""
    changed: str = ""
    """The statement of a build of what changed, where it is another than that of a whole one."""
    replaced_by: str = ""
    """Of a table that is kept in such a build: the relation with keys of rows to be replaced."""
    key: Mapping[str, str] = field(default_factory=dict)
    """The columns of that relation -> the table's own."""
    warns: bool = False
    """Of a test: what it finds does not stop a build."""
    comment: str = ""
    comments: Mapping[str, str] = field(default_factory=dict)
    """What its columns mean."""

    @property
    def gone(self) -> str:
        """Which rows of a table that is kept are to be replaced, as ``is_changed`` of the models
        says it: a key may have constants.
        """
        names = {theirs: ours for theirs, ours in self.key.items() if not ours.startswith("'")}
        whose = " and ".join(f"{t} = {self.key[t]}" for t in self.key if t not in names) or "true"
        keys = f"select {', '.join(names)} from {self.replaced_by} where {whose}"  # noqa: S608 - dbt's
        return f"({', '.join(names.values())}) in ({keys})"


def fingerprint(project: Path) -> str:
    """Names the files that the statements are made of; what dbt writes beside them is none."""
    digest = hashlib.sha256()
    found = [project / "dbt_project.yml"]
    for folder in ("macros", "models", "tests"):
        found += sorted(p for p in (project / folder).rglob("*.*") if p.suffix in _READ)
    for path in found:
        digest.update(f"{path.relative_to(project).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def read(path: Path, of: str) -> list[Node] | None:
    """The statements in a file; None if it is not there or made of other files than ``of``."""
    if not path.exists():
        return None
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    return [Node(**json.loads(line)) for line in rest] if json.loads(first)["of"] == of else None


def write(path: Path, of: str, nodes: Iterable[Node]) -> None:
    """Keep statements, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines: list[dict[str, Any]] = [{"of": of}]
    # What a node has not is left out: the file is long enough.
    lines += ({k: v for k, v in asdict(node).items() if v} for node in nodes)
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    write_atomically(path, text, mode=0o644)


def nodes(
    results: Sequence[Any],
    again: Sequence[Any],
    narrow: Sequence[Any],
    database: str,
    columns: Mapping[str, set[str]],
) -> list[Node]:
    """The statements out of dbt's results of a build, of compiling the incremental models when
    their tables were there (``again``), and all as in a build of what changed alone (``narrow``);
    ``database`` is what the file was called, ``columns`` are those of each relation.
    """
    later = {result.node.name: _portable(result.node.compiled_code, database) for result in again}
    changed = {
        result.node.name: _portable(result.node.compiled_code, database)
        for result in narrow
        if result.node.resource_type in ("model", "test")
    }
    found = []
    for node in _in_order(results):
        made, then = _node(node, database), later.get(node.name, "")
        narrowed = "" if changed[node.name] in (made.sql, then) else changed[node.name]
        made = replace(made, later=then, changed=narrowed)
        if made.kind != "test":
            there = columns[f"{made.schema}.{made.table}"]
            said = {name: c.description for name, c in node.columns.items() if name in there}
            made = replace(made, comment=node.description, comments=said)
        found.append(made)
    return found


def of_changed(results: Sequence[Any], database: str, suffix: str) -> list[Node]:
    """The statements of builds of what changed where all tables are, out of dbt's results of
    compiling one there; ``suffix`` is what the schemas' names end with.
    """
    found = [_node(node, database, suffix) for node in _in_order(results)]
    return [
        replace(node, kind="kept") if node.replaced_by and node.kind != "view" else node
        for node in found
    ]


def _in_order(results: Sequence[Any]) -> list[Any]:
    """dbt's models and tests, as they can be carried out one after another, tests at the end."""
    found = {
        result.node.unique_id: result.node
        for result in results
        if result.node.resource_type in ("model", "test")
    }
    above = {
        name: sorted(above for above in node.depends_on.nodes if above in found)
        for name, node in found.items()
    }
    # The order of dbt's own threads differs from run to run.
    order = [*TopologicalSorter(dict(sorted(above.items()))).static_order()]
    order.sort(key=lambda name: found[name].resource_type == "test")
    return [found[name] for name in order]


def _node(node: Any, database: str, suffix: str = "") -> Node:
    """A model or test of dbt's with the statement that it made of it."""
    sql = _portable(node.compiled_code, database)
    if node.resource_type == "test":
        warns = str(node.config.severity).lower() == "warn"
        return Node(node.name, node.original_file_path, "test", sql, warns=warns)
    kept = node.config.meta
    return Node(
        node.name,
        node.original_file_path,
        str(node.config.materialized),
        sql,
        node.schema,
        node.alias,
        replaced_by=f"intermediate{suffix}.{kept['changed']}" if kept else "",
        key=kept["key"] if kept else {},
    )


def _portable(sql: str, database: str) -> str:
    """Without what is of one run: the file's name and the moment."""
    return _MOMENT.sub(f"cast('{NOW}' as timestamp)", sql.replace(f'"{database}".', "").strip())
