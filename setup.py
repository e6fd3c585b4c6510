"""How the project becomes a wheel: every folder under the one package ``shopmirror``.

In the clone the folders stand side by side and import each other by their own names, as they do in
an editable install. In a wheel names such as ``sources`` or ``pipelines`` would take the place of
the user's own, or the other way round; so there they are ``shopmirror.sources`` and so on, and what
they import is named accordingly. Everything else stands in ``pyproject.toml``.
"""

import ast
import re
import sys
from pathlib import Path

from setuptools import find_namespace_packages, setup
from setuptools.command.build_py import build_py

OURS = ("sources", "pipelines", "schedules", "sandbox", "specification", "transforms", "notebooks")
_NOTEBOOK_LINE = re.compile(rf'(?m)^(\s*"(?:from|import) )((?:{"|".join(OURS)})\b)')


class Renamed(ValueError):
    """An import that cannot be renamed; it names the file and the line."""


def renamed(source: str, where: str) -> str:
    """Python source whose absolute imports of our folders name them below ``shopmirror``."""
    lines = source.splitlines(keepends=True)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and not node.level:
            if _is_ours(node.module or ""):
                _replace(lines, node.lineno, "from ", "from shopmirror.")
        elif isinstance(node, ast.Import) and any(_is_ours(alias.name) for alias in node.names):
            (alias, *more) = node.names
            if more or ("." in alias.name and alias.asname is None):
                raise Renamed(f"{where}:{node.lineno}: import one module of ours, with 'as'")
            parent, _, name = f"shopmirror.{alias.name}".rpartition(".")
            _replace(lines, node.lineno, f"import {alias.name}", f"from {parent} import {name}")
    return "".join(lines)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in OURS


def _replace(lines: list[str], number: int, old: str, new: str) -> None:
    lines[number - 1] = lines[number - 1].replace(old, new, 1)


class BuildUnderOneName(build_py):
    """Copies as always, then names the imports in the copies."""

    def run(self) -> None:
        """Copy, then rename; an editable install has nothing copied."""
        super().run()
        for path in map(Path, self.get_outputs(include_bytecode=False)):
            if path.suffix not in (".py", ".ipynb") or self.editable_mode:
                continue
            source = path.read_text(encoding="utf-8")
            if path.suffix == ".ipynb":
                made = _NOTEBOOK_LINE.sub(r"\1shopmirror.\2", source)
            else:
                made = renamed(source, str(path))
            path.write_text(made, encoding="utf-8")


def packages() -> dict[str, str]:
    """Name of each package in what is built -> its folder."""
    found = find_namespace_packages(include=["shopmirror*", *(f"{name}*" for name in OURS)])
    under = "" if "editable_wheel" in sys.argv else "shopmirror."
    return {
        (name if name.split(".")[0] == "shopmirror" else under + name): name.replace(".", "/")
        for name in found
    }


if __name__ == "__main__":
    setup(
        packages=list(packages()),
        package_dir=packages() if "editable_wheel" not in sys.argv else {},
        cmdclass={"build_py": BuildUnderOneName},
    )
