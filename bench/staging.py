"""The part of ``transforms/`` that follows from the declared lists; ``make models`` writes it.

Data flow: the rows of ``sources/repair_shop/schema/lists`` and the paragraphs of
``models/columns.md`` -> the sources and one documented view for each raw table. The list of tables
that tests and ``ops.unreadable`` go through is made of them, too. A test holds the files against
it.

Words of a row that only this reads: ``one``, what it is (``line of {of}``: of which document);
``called``, what its nested lists call it (``invoice``); ``staged``, names of columns that do not
follow from those in raw; ``means``, name in ``staging`` -> a sentence, or the name of a paragraph
that several tables share. A column of the paragraph's own name needs no word. Of a moment it says
what happened then (``the goods were received``).
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

from sources.repair_shop.schema.endpoints import ENDPOINTS
from sources.repair_shop.schema.shapes import Kind, Reference, Table

_FOLDER = Path("models", "staging")
_GROUPS: Mapping[Kind, str] = {
    "text": "texts",
    "amount": "numbers",
    "number": "numbers",
    "flag": "flags",
    "moment": "moments",
}
_DOC = re.compile(r"\{% docs (\w+) %\}(.*?)\{% enddocs %\}", re.S)
"""A paragraph that columns of several tables share."""
_NOTE = "Written by `make models` from sources/repair_shop/schema/lists."
_TEMPLATES = Environment(
    *("[%", "%]", "[[", "]]", "[#", "#]"),
    trim_blocks=True,
    keep_trailing_newline=True,
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
)
"""Their own marks are those of dbt."""
_TEMPLATES.filters["json"] = json.dumps


class Unsaid(ValueError):
    """A column of which nobody says what it means; the message says where it is to be said."""


@dataclass(frozen=True)
class _Level:
    """One raw table: of a list, or of a list nested in its rows."""

    table: str
    one: str
    shape: Table
    parent: str = ""
    """The column that names the record; of a nested list only."""
    above: str = ""
    """The column that names the row it stands in, where that is not the record."""

    def __post_init__(self) -> None:
        columns = self.shape.kinds
        names = {"id", *map(self.staged_name, columns)}
        odd = {*self.words("staged")} - columns.keys() | {*self.words("means")} - names
        if odd:
            raise Unsaid(f"{self.table}: no column is called {', '.join(sorted(odd))}")

    def words(self, kind: str) -> Mapping[str, str]:
        """Its ``staged`` or ``means``."""
        found: Mapping[str, str] = self.shape.words.get(kind, {})
        return found

    def staged_name(self, column: str) -> str:
        """Its name in ``staging``: ``customer_id`` of ``customer__id``, ``is_...`` of a flag.

        A moment's is what its instant (``_at``) and its day (``_day``) begin with.
        """
        if named := self.words("staged").get(column):
            return named
        of, _, part = column.partition("__")
        name = part if part.startswith(f"{of}_") else column.replace("__", "_")
        kind = self.shape.kinds[column]
        if kind == "flag":
            return f"is_{name.removeprefix('is_')}"
        return name.removesuffix("_date") if kind == "moment" else name

    def columns(self) -> dict[str, dict[str, str]]:
        """Group of the view's columns -> name in raw -> name in the view."""
        found: dict[str, dict[str, str]] = {}
        for column, kind in self.shape.kinds.items():
            name = self.staged_name(column)
            is_id = kind == "text" and (name == "id" or name.endswith("_id"))
            found.setdefault("ids" if is_id else _GROUPS[kind], {})[column] = name
        if "id" in (ids := found.get("ids", {})):
            found["ids"] = {"id": "id"} | ids
        return {group: found[group] for group in ("ids", *_GROUPS.values()) if group in found}

    @property
    def moments(self) -> list[str]:
        """Its columns in raw that hold a moment."""
        return list(self.columns().get("moments", ()))

    def meanings(self, shared: Mapping[str, str]) -> dict[str, str]:
        """Column of the view -> what it means. ``shared``: the paragraphs of several tables."""
        words = self.words("means")
        found = {"shop_id": "shop_id"}
        if self.parent:
            record = self.parent.removesuffix("_id").replace("_", " ")
            found |= {"row_key": "row_key"}
            found[self.parent] = f"Id of the {record} it belongs to, as text."
            found |= {self.above: self.above} if self.above else {}
            found["position"] = "position"
        else:
            found["id"] = words.get("id", "id")
        for group, named in self.columns().items():
            for column, name in named.items():
                if group == "moments":
                    found |= _of_moment(name, words.get(name))
                else:
                    found[name] = words.get(name) or self._usual(column, name)
        found |= {} if self.parent else {"seen_at": "seen_at", "deleted_at": "deleted_at"}
        found["unreadable"] = "unreadable"
        return {name: self._said(name, text, shared) for name, text in found.items()}

    def _usual(self, column: str, name: str) -> str:
        if column == "id":
            of_row = f"Identifier of the {self.one.split()[0]} at the service, as text"
            return f"{of_row}; empty when the service gives none."
        for reference in self.shape.references:
            if column.startswith(f"{reference.name}__") and column not in self.words("staged"):
                return _of_reference(reference, column.removeprefix(f"{reference.name}__"))
        return name

    def _said(self, column: str, text: str, shared: Mapping[str, str]) -> str:
        """A paragraph by its name, or the sentence, if no paragraph says the same."""
        if " " in text or text.endswith("."):
            text = {said: name for name, said in shared.items()}.get(text, text)
        elif text not in shared:
            raise Unsaid(
                f"{self.table}.{column}: say what it means in its row's 'means' "
                f"(sources/repair_shop/schema/lists) or as '{text}' in transforms/models/columns.md"
            )
        return f"{{{{ doc('{text}') }}}}" if text in shared else text


def _of_moment(name: str, happened: str | None) -> dict[str, str]:
    if happened is None:
        return {f"{name}_{form}": f"{name}_{form}" for form in ("at", "day")}
    return {
        f"{name}_at": f"When {happened}; a bare day is the shop's midnight.",
        f"{name}_day": f"The shop's own day on which {happened}.",
    }


def _of_reference(reference: Reference, field: str) -> str:
    called = reference.called or reference.name.replace("_", " ")
    words = field.replace("_", " ").capitalize()
    return f"{words} of the {called}{', as text' if field == 'id' else ''}."


def _levels() -> Iterator[_Level]:
    for table, endpoint in ENDPOINTS.items():
        words = endpoint.shape.words
        yield _Level(table, words["one"], endpoint.shape)
        record = words.get("called") or table.removesuffix("s")
        yield from _nested(table, endpoint.shape, f"{record}_id", "", words.get("of", ""))


def _nested(table: str, shape: Table, parent: str, above: str, of: str) -> Iterator[_Level]:
    for child in shape.children:
        name, words = f"{table}__{child.name}", child.table.words
        yield _Level(name, words["one"].format(of=of), child.table, parent, above)
        row_key, below = f"{child.name.removesuffix('s')}_row_key", words.get("of", "")
        yield from _nested(name, child.table, parent, row_key, below.format(of=of))


def files(project: Path) -> dict[Path, str]:
    """Path in ``project`` -> what it holds. Raises :class:`Unsaid`."""
    shared = dict(_DOC.findall((project / "models" / "columns.md").read_text(encoding="utf-8")))
    levels = [*_levels()]

    def made(template: str, **told: Any) -> str:
        return _TEMPLATES.get_template(template).render(note=_NOTE, **told)

    views = {f"stg_{one.table}.sql": made("view.sql", level=one) for one in levels}
    return {_FOLDER / name: text for name, text in views.items()} | {
        _FOLDER / "_raw.yml": made("sources.yml", levels=levels),
        _FOLDER / "_staging.yml": made("models.yml", levels=levels, shared=shared),
        Path("macros", "declared_tables.sql"): made("tables.sql", levels=levels),
    }


def stale(project: Path) -> list[Path]:
    """The files that are not as they would be written, those that nobody would write among them."""
    made = files(project)
    there = {path.relative_to(project) for path in (project / _FOLDER).glob("*.*")}
    texts = {
        path: (project / path).read_text(encoding="utf-8") if (project / path).is_file() else None
        for path in there | made.keys()
    }
    return sorted(path for path, text in texts.items() if text != made.get(path))


def write(project: Path) -> None:
    """Write the files anew; remove those of lists that are declared no more."""
    made = files(project)
    for path in stale(project):
        if path in made:
            (project / path).write_text(made[path], encoding="utf-8")
        else:
            (project / path).unlink()
