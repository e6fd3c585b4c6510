"""The statements of a build as they were shipped: ``transforms/compiled``, made by ``make models``.

``NNN_<model>.sql`` is what dbt made of a model or a test of the data, for DuckDB. Its number says
how many models deep it stands on ``raw``, so files in their order can be carried out one after
another. ``comments.json`` has what tables and columns mean, ``files.txt`` the SHA-256 of each file
of the project.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = "compiled"
COMMENTS = "comments.json"
FILES = "files.txt"
MOMENT = "$build_moment"
"""Parameter of a statement: when the build began, on the clock of UTC."""
LATER = "-- later:\n"
"""Above the statement of an incremental model for when its table is there already."""
_HEADER = re.compile(r"-- (\w+): (.*)\n")
_READ = {".sql", ".yml", ".md", ".csv", ".py", ".json"}
_WRITTEN = {"target", "logs", "dbt_packages", "__pycache__"}
"""Folders that dbt and Python write."""
_NO_PART = {"README.md", "__init__.py", f"{FOLDER}/{FILES}"}


@dataclass(frozen=True)
class Node:
    """One model, or one test of the data with dbt's meaning of its settings."""

    name: str
    path: str
    """Its file, below ``transforms/``."""
    kind: str
    """``table``, ``view``, ``incremental`` (rows are only added) or ``test``."""
    sql: str
    schema: str = ""
    table: str = ""
    later: str = ""
    tests: str = ""
    """Of a model: the names of its tests, for who reads the file."""
    severity: str = "error"
    fail_calc: str = "count(*)"
    warn_if: str = "!= 0"
    error_if: str = "!= 0"
    stores: str = ""
    """Relation that keeps the rows a test found; empty where none does."""
    depth: int = 0
    """The number of its file: nodes of one depth do not read each other."""


def write(folder: Path, depth: int, node: Node) -> None:
    """Write one file; fields that are as usual are left out."""
    usual = Node(node.name, "", "", "")
    fields = [f for f in vars(node) if f not in ("name", "sql", "later", "depth")]
    said = {f: getattr(node, f) for f in fields if getattr(node, f) != getattr(usual, f)}
    text = "".join(f"-- {field}: {value}\n" for field, value in said.items())
    text += f"\n{node.sql}\n" + (f"\n{LATER}{node.later}\n" if node.later else "")
    (folder / f"{depth:03}_{node.name}.sql").write_text(text, encoding="utf-8")


def read(project: Path) -> list[Node]:
    """The statements in the order of a build, tests at the end."""
    return [_read(path) for path in sorted((project / FOLDER).glob("*.sql"))]


def comments(project: Path) -> dict[str, dict[str, str]]:
    """``schema.table`` -> column -> what it means; what the relation is under the empty name."""
    text = (project / FOLDER / COMMENTS).read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = json.loads(text)
    return found


def _read(path: Path) -> Node:
    header, _, text = path.read_text(encoding="utf-8").partition("\n\n")
    sql, _, later = text.partition(LATER)
    said = dict(_HEADER.findall(f"{header}\n"))
    depth, _, name = path.stem.partition("_")
    return Node(name, sql=sql.strip(), later=later.strip(), depth=int(depth), **said)


def files(project: Path) -> dict[str, str]:
    """Each file that a project consists of -> its SHA-256; what dbt writes beside them is none."""
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(project.rglob("*"))
        if path.suffix in _READ and path.is_file()
        for name in [path.relative_to(project).as_posix()]
        if name not in _NO_PART and not _WRITTEN.intersection(name.split("/"))
    }


def edited(project: Path) -> list[str]:
    """Files that are not as they were shipped: changed, added or gone."""
    listed = project / FOLDER / FILES
    lines = listed.read_text(encoding="utf-8").splitlines() if listed.exists() else []
    shipped = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    return sorted({name for name, _ in shipped.items() ^ files(project).items()})


def fingerprint(project: Path) -> str:
    """Names all files of a project by one text."""
    return hashlib.sha256(repr(sorted(files(project).items())).encode()).hexdigest()
