"""The house's order: who may import whom, and no circles.

A layer imports those below it only. What a newcomer reads from the top down is then never explained
by what comes later, and a change is felt upwards only.
"""

import ast
import functools
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

pytestmark = pytest.mark.core

ROOT = Path(__file__).parents[1]
LAYERS = (
    "shopmirror",
    "schedules",
    "pipelines.dashboard",
    "pipelines.report",
    "pipelines.sync",
    "pipelines.monitor",
    "pipelines.doctor",
    "pipelines.reconcile",
    "pipelines.outbox",
    "pipelines.publish",
    "pipelines.destinations",
    "pipelines.publish.errors",
    "pipelines.transform",
    "pipelines.load",
    "pipelines.language",
    "pipelines.backup",
    "pipelines.home",
    "pipelines.json_file",
    "pipelines.bodies",
    "pipelines.service_reports",
    "pipelines.settings",
    "pipelines.masking",
    "sources.repair_shop",
)
"""From the top down."""
APART = {"sandbox": ("specification",), "specification": (), "transforms": ()}
"""Packages that know nothing of ours but what is named."""
USERS = {
    "sandbox": ("shopmirror",),
    "specification": ("sandbox", "pipelines"),
    "transforms": ("pipelines.publish", "pipelines.transform"),
}
"""Who may import what stands apart."""


def _modules() -> dict[str, Path]:
    found = {}
    for top in ("shopmirror", "schedules", "pipelines", "sources", *APART):
        for path in (ROOT / top).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = _modules()


@functools.cache
def _imports(name: str) -> set[str]:
    """First-party modules that a module imports; those for types only do not count."""
    package = name if MODULES[name].name == "__init__.py" else name.rpartition(".")[0]
    found: set[str] = set()
    for node in _nodes(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {_known(alias.name) for alias in node.names}
        else:
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([node.module] if node.module else [])])
            found |= {_known(f"{base}.{alias.name}") or _known(base) for alias in node.names}
    return found


def _known(name: str) -> str:
    return name if name in MODULES else ""


def _nodes(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        elif not isinstance(node, ast.expr):
            yield from _nodes(node)


def _layer(module: str) -> str | None:
    found = [one for one in LAYERS if module == one or module.startswith(one + ".")]
    return max(found, key=len, default=None)


def test_every_module_of_the_pipelines_lies_in_a_layer():
    ours = ("shopmirror", "schedules", "pipelines")
    lost = [m for m in MODULES if m.split(".")[0] in ours and m not in ours and _layer(m) is None]
    assert lost == []


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_imports_what_lies_below_it_only(layer):
    upwards = [
        f"{module} imports {other}"
        for module in MODULES
        if _layer(module) == layer
        for other in _imports(module)
        if (found := _layer(other)) is not None and LAYERS.index(found) < LAYERS.index(layer)
    ]
    assert upwards == []


@pytest.mark.parametrize("apart", APART)
def test_what_stands_apart_knows_none_of_us(apart):
    inside = [m for m in MODULES if m.split(".")[0] == apart]
    assert [
        f"{module} imports {other}"
        for module in inside
        for other in _imports(module)
        if other and not other.startswith((apart, *APART[apart]))
    ] == []
    assert [
        f"{module} imports {other}"
        for module in MODULES
        if module not in inside and not module.startswith(USERS[apart])
        for other in _imports(module)
        if other.split(".")[0] == apart
    ] == []


def test_no_modules_import_each_other_in_a_circle():
    graph = {m: {o for o in _imports(m) if o and o != m} for m in MODULES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_sql_on_the_ledger_and_the_queue_stands_in_their_stores():
    stores = ("sources.repair_shop.ledger.", "pipelines.outbox.store", "pipelines.outbox.origin")
    sql = re.compile(r"ledger\.(query|execute)\(|outbox\.(_select|connection|transaction\(\) as)")
    assert [
        f"{module}: {found[0]}"
        for module, path in MODULES.items()
        if not module.startswith(stores)
        for found in sql.finditer(path.read_text(encoding="utf-8"))
    ] == []
