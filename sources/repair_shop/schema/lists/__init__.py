"""The lists of the service, by the chapters of the specification: a new one is one row here.

A row (a table of a ``.toml`` file, under the path of the list) declares it whole: what can be asked
of it, by the fields of :class:`~repair_shop.schema.endpoint.Endpoint`, and what its rows hold, by
those of :class:`~repair_shop.schema.shapes.Table`. ``like``: it has all that ``common.toml`` says
under that name, and what stands beside.

The specification shows no response field but a customer's ``id``, ``name`` and ``email``
("Resources and their fields"); the rest are the fields seen in the wild. So nothing here is relied
on to be there. A declared column exists in the warehouse even when no row has it, and an undeclared
field becomes a text column of its own. :mod:`repair_shop.schema.clean` loses neither.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...schema.endpoint import Endpoint
from ...schema.shapes import Child, Reference, Table

_FOLDER = Path(__file__).parent
_WORDS = ("one", "of", "called", "staged", "means")


def _text_of(chapter: str) -> str:
    return (_FOLDER / f"{chapter}.toml").read_text(encoding="utf-8")


_COMMON: dict[str, dict[str, dict[str, Any]]] = tomllib.loads(_text_of("common"))


def rows_of(text: str) -> tuple[Endpoint, ...]:
    """The lists that a chapter declares. TypeError for a key that no row has."""
    return tuple(_list(path, row) for path, row in tomllib.loads(text).items())


def _list(path: str, row: Any) -> Endpoint:
    row = _whole("lists", row)
    shape = _table(row)
    return Endpoint(path, shape, **{name: _frozen(value) for name, value in row.items()})


def _table(row: dict[str, Any]) -> Table:
    """Takes out of a row what makes a table."""
    words = {name: row.pop(name) for name in _WORDS if name in row}
    references = tuple(map(_reference, row.pop("references", ())))
    children = tuple(map(_child, row.pop("children", ())))
    return Table(row.pop("columns"), references, children, words)


def _reference(row: Any) -> Reference:
    return Reference(**_with_names(_whole("references", row)))


def _child(row: Any) -> Child:
    row = _whole("children", row)
    return Child(table=_table(row), **_with_names(row))


def _whole(kind: str, row: str | Mapping[str, Any]) -> dict[str, Any]:
    """A row with what it has in common with others; a mere name stands for all of that."""
    own = {"name": row, "like": row} if isinstance(row, str) else dict(row)
    return _COMMON[kind].get(own.pop("like", ""), {}) | own


def _with_names(row: Mapping[str, Any]) -> dict[str, Any]:
    several = ("fields", "aliases")
    return {name: tuple(v.split()) if name in several else v for name, v in row.items()}


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


ROWS = tuple(
    row
    for chapter in ("people", "tickets", "sales", "goods", "others")
    for row in rows_of(_text_of(chapter))
)
"""Every list, in the specification's order."""
