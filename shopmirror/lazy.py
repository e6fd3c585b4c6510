"""The commands, each imported only when it is called: ``--help`` shows what their files say."""

import ast
import gc
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from pipelines.load.imports import without

COMMANDS = tuple(
    (
        "init doctor plan sync reconcile status queue push report query export dashboard "
        "dictionary notebooks models schedule backup restore config test-mail sandbox demo"
    ).split()
)
"""In the order of ``--help``: each has a module in ``shopmirror.commands`` with a function of its
name, or an ``app`` of several commands."""
_WITH_PANDAS = ("dashboard",)


@contextmanager
def light() -> Iterator[None]:
    """A process that does this alone: it imports no pandas, which DuckDB would before it binds a
    value, and Python looks for cycles rarely, of which rows hold none (each full search goes
    through all that was imported)."""
    usual = gc.get_threshold()
    gc.set_threshold(20_000)
    try:
        with without("pandas"):
            yield
    finally:
        gc.set_threshold(*usual)


class Lazy(TyperGroup):
    """The group of all commands."""

    _is_listing = False

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = {name: TyperCommand(name) for name in COMMANDS}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a name; while a list is shown, only its name and its first sentence."""
        if cmd_name not in COMMANDS:
            return None
        if self._is_listing:
            return TyperCommand(cmd_name, help=_help(_module(cmd_name)))
        module = importlib.import_module(f"shopmirror.commands.{_module(cmd_name)}")
        if hasattr(module, "app"):
            found: Any = get_group(module.app)
        else:
            alone, made = typer.Typer(add_completion=False), getattr(module, _module(cmd_name))
            alone.command(cmd_name)(made if cmd_name in _WITH_PANDAS else light()(made))
            found = get_command(alone)
        found.name = cmd_name
        return found

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The list, without importing what it lists."""
        self._is_listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._is_listing = False


def _module(name: str) -> str:
    return name.replace("-", "_")


def _help(module: str) -> str:
    """What a command says of itself: the text of its function, or ``help`` of its ``app``."""
    path = Path(__file__).with_name("commands") / f"{module}.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == module:
            return ast.get_docstring(node) or ""
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            for given in node.value.keywords:
                if given.arg == "help":
                    return str(ast.literal_eval(given.value))
    return ""
