"""Every table that readers meet and what its columns mean, as the models' own files say it.

Data flow: what is said of the models as shipped (:func:`compiled.comments`) -> :class:`Table` -> a
page that a phone shows too (:func:`page`), and the reference of the documentation. Needs no
warehouse and no dbt.
"""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pipelines.transform import compiled
from pipelines.transform.models import PROJECT

_SCHEMAS = ("marts", "history", "ops")
_VERSIONS_OF = {"history.sales_documents": "marts.sales_documents"}
"""The others of history are versions of the staging table of their name."""


@dataclass(frozen=True)
class Table:
    """One table of the published warehouse. ``columns``: name -> what it means."""

    schema: str
    name: str
    description: str
    columns: Mapping[str, str]


def tables() -> list[Table]:
    """Marts, history and ops, each in alphabetical order."""
    comments = compiled.comments(PROJECT)
    found = []
    for relation, said in comments.items():
        schema, _, name = relation.partition(".")
        if schema not in _SCHEMAS or name.endswith("_versions"):
            continue
        if schema == "history":  # what a record holds, and since when it did
            said = comments[_VERSIONS_OF.get(relation, f"staging.{name}")] | said
        columns = {column: text for column, text in said.items() if column}
        found.append(Table(schema, name, said[""], columns))
    return sorted(found, key=lambda table: (_SCHEMAS.index(table.schema), table.name))


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


def _marked(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))
