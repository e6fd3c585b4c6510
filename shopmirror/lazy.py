"""The commands, each imported only when it runs.

What a command takes and says of itself is known from the outline of its file: its functions
without their bodies, and of what it imports and defines only what their signatures name. So help
and completion load no warehouse, and a command line that is wrong is told at once.
"""

import ast
import importlib
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

COMMANDS = tuple(
    (
        "init doctor plan sync reconcile status queue push report query export dashboard "
        "dictionary notebooks models schedule backup restore config test-mail sandbox demo"
    ).split()
)
"""In the order of ``--help``: each has a module in ``shopmirror.commands`` with a function of its
name, or an ``app`` of several commands."""


class Lazy(TyperGroup):
    """The group of all commands."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = {name: TyperCommand(name) for name in COMMANDS}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a name; running it imports its module."""
        if cmd_name not in COMMANDS:
            return None
        module = cmd_name.replace("-", "_")
        outline = _outline(module)
        if "app" in outline:
            found: Any = get_group(outline["app"])
        else:
            alone = typer.Typer(add_completion=False)
            alone.command(cmd_name)(outline[module])
            found = get_command(alone)
        found.name = cmd_name
        return found


def _outline(module: str) -> dict[str, Any]:
    """The names of a command's module, as far as its command lines need them."""
    name = f"shopmirror.commands.{module}"
    path = Path(__file__).with_name("commands") / f"{module}.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kept: list[ast.stmt] = []
    needed = {module, "app"}
    for node in reversed(tree.body):  # a name stands before its use
        if isinstance(node, ast.FunctionDef):
            is_command = any(isinstance(one, ast.Call) for one in node.decorator_list)
            if not is_command and node.name not in needed:
                continue
            run = ast.parse(f"return _run({name!r}, {node.name!r}, locals())").body
            node.body = node.body[:1] + run  # its text, and the way to the real one
        elif isinstance(node, ast.Import | ast.ImportFrom):
            node.names = [one for one in node.names if (one.asname or one.name) in needed]
            if not node.names:
                continue
        elif isinstance(node, ast.Assign):
            if not any(isinstance(one, ast.Name) and one.id in needed for one in node.targets):
                continue
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            continue
        kept.insert(0, node)
        needed |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    names: dict[str, Any] = {"__name__": name, "_run": _run}
    exec(compile(ast.Module(kept, []), str(path), "exec"), names)  # noqa: S102 - a file of ours
    return names


def _run(module: str, name: str, given: dict[str, Any]) -> Any:
    return getattr(importlib.import_module(module), name)(**given)
