"""What is stored of each resource: id kind, sort date, and the columns that lists filter by.

One row for each list of the specification; a column is filled from the record when it is written,
so that a page of a million rows is found by an index and never by reading every document.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from sandbox.values import loads

IdKind = Literal["uuid", "number"]


@dataclass(frozen=True)
class Resource:
    """How records of one list are kept.

    Attributes:
        name: snake_case name of the list, e.g. ``ticket_invoices``.
        id_kind: ``uuid`` for text like a UUID, ``number`` for plain numbers (field notes, ids).
        created: path of the date that newest/oldest and createdDateFrom/To go by.
        columns: indexed column -> path in the record; ``...cents`` hold hundredths of an amount,
            of ``..._day`` only the day counts.
    """

    name: str
    id_kind: IdKind
    created: str
    columns: Mapping[str, str]

    @property
    def table(self) -> str:
        """Name of the SQLite table."""
        return f"r_{self.name}"


def at(record: Mapping[str, Any], path: str) -> Any:
    """Value at a dotted path of a record; None when a step is missing or no object."""
    value: Any = record
    for step in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(step)
    return value


_TABLE = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
"""A resource a line: ``#`` for plain numbers as ids, ``@`` the date it goes by, ``column=path``."""


def _resource(name: str, *words: str) -> Resource:
    columns = (word.partition("=") for word in words if word[0] not in "#@")
    return Resource(
        name,
        id_kind="number" if "#" in words else "uuid",
        created=next((word[1:] for word in words if word[0] == "@"), "created_date"),
        columns={column: path or column for column, _, path in columns},
    )


RESOURCES: Mapping[str, Resource] = MappingProxyType(
    {line.split()[0]: _resource(*line.split()) for line in re.split(r"\n(?=\w)", _TABLE.strip())}
)
"""Resource name -> how it is stored; the 35 lists and ``info``."""

BLANK: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    loads(Path(__file__).with_name("blank.json").read_text(encoding="utf-8"))
)
"""Resource name -> what a record of it has where nothing else is said."""
DOCUMENTS = ("ticket_invoices", "pos_orders")
"""Resources that sell something: they carry lines, payments and returns."""
SHOW_UPDATED = frozenset(
    "tickets ticket_comments products appointments customers leads purchase_orders".split()
).union(DOCUMENTS)
"""Lists whose records show when they were last changed."""
