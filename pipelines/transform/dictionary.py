"""Every table that readers meet and what its columns mean, as the models' own files say it.

Data flow: ``transforms/models/**.yml`` and ``columns.md`` -> :class:`Table` -> a page that a phone
shows too (:func:`page`), and the reference of the documentation. Needs no warehouse and no dbt.
"""

import functools
import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

import transforms

MODELS = Path(transforms.__file__).parent / "models"
_DOC = re.compile(r"\{% docs (\w+) %\}(.*?)\{% enddocs %\}", re.S)
_REFERENCE = re.compile(r"\{\{ doc\('(\w+)'\) \}\}")
_HISTORY = {"hist_sales_documents": "sales_documents"}
"""Versions of what: a mart. The others are versions of the staging table of their name."""
_STAGING = "staging/_staging.yml"


@dataclass(frozen=True)
class Table:
    """One table of the published warehouse. ``columns``: name -> what it means."""

    schema: str
    name: str
    description: str
    columns: Mapping[str, str]


def tables() -> list[Table]:
    """Marts, history and ops, each in alphabetical order."""
    texts = paragraphs(MODELS / "columns.md")
    found = [
        *(_table("marts", one, texts) for one in _entries("marts/*.yml", "models")),
        *_history(texts),
        *(_table("ops", one, texts) for one in _entries("ops/*.yml", "models")),
    ]
    for source in _entries("ops/_ops.yml", "sources"):
        found += [_table("ops", one, texts) for one in source["tables"]]
    order = ("marts", "history", "ops")
    return sorted(found, key=lambda table: (order.index(table.schema), table.name))


def paragraphs(path: Path) -> dict[str, str]:
    """The paragraphs of a file of documentation that columns of several tables share, by name."""
    return dict(_DOC.findall(path.read_text(encoding="utf-8")))


def page(found: list[Table]) -> str:
    """One HTML page without scripts: a table opens at a touch, text wraps on a narrow screen."""
    parts = []
    for table in found:
        rows = "".join(
            f"<dt><code>{html.escape(name)}</code></dt><dd>{_marked(text)}</dd>"
            for name, text in table.columns.items()
        )
        parts.append(
            f'<details id="{table.schema}.{table.name}"><summary><code>{table.schema}.'
            f"{table.name}</code> {_marked(table.description)}</summary><dl>{rows}</dl></details>"
        )
    frame = Path(__file__).with_suffix(".html").read_text(encoding="utf-8")
    return frame.replace("TABLES", "\n".join(parts))


def _history(texts: Mapping[str, str]) -> Iterator[Table]:
    """What a record holds, and since when it did."""
    for one in _entries("history/*.yml", "models"):
        name = str(one["name"]).removeprefix("hist_")
        if name.endswith("_versions"):
            continue
        mart = _HISTORY.get(str(one["name"]))
        model, file = (mart, f"marts/{mart}.yml") if mart else (f"stg_{name}", _STAGING)
        (of,) = (entry for entry in _entries(file, "models") if entry["name"] == model)
        columns = {**_table("", of, texts).columns, **_table("", one, texts).columns}
        yield Table("history", name, _said(one, texts), columns)


def _entries(pattern: str, kind: str) -> Iterator[dict[str, Any]]:
    for path in sorted(MODELS.glob(pattern)):
        yield from _read(path).get(kind, [])


@functools.cache
def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


def _table(schema: str, entry: Mapping[str, Any], texts: Mapping[str, str]) -> Table:
    columns = {column["name"]: _said(column, texts) for column in entry.get("columns", ())}
    return Table(schema, entry["name"], _said(entry, texts), columns)


def _said(entry: Mapping[str, Any], texts: Mapping[str, str]) -> str:
    said = str(entry.get("description", ""))
    return _REFERENCE.sub(lambda found: texts[found[1]].strip(), said)


def _marked(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))
