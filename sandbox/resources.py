"""How the sandbox keeps and answers each list: ``resources.toml`` as rows, odd ones found."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import field
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from sandbox.values import cents
from specification import BODIES, LISTS, List

PRIORITIES = ("Urgent", "High", "Normal", "Low")
"""Ticket priorities 0, 1, 2, 3 in this order (specification, States)."""
DOCUMENTS = ("ticket_invoices", "pos_orders")
"""Resources that sell something: they carry lines, payments and returns."""
NUMBERED = frozenset({"brands", "models", "issue_types"})
"""Lists whose ids are plain numbers in some shops, and text in others."""
_COLUMNS_SHARED = frozenset({"id", "created_day", "updated_day"})
_DAYS = {"createdDate": "created_day", "updatedDate": "updated_day"}
_VIEWS = {"pos_invoices": "pos_orders"} | {
    f"{name}_updated": name for name in ("appointments", "tickets", "products")
}
"""Lists that show the records of another one."""


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Resource:
    """How records of one list are kept; the words are explained in ``resources.toml``."""

    name: str
    ids: Literal["uuid", "number"] = "uuid"
    date: str = "created_date"
    columns: Mapping[str, str] = field(default_factory=dict)
    filters: Mapping[str, Any] = field(default_factory=dict)
    exact: tuple[str, ...] = ()
    search: tuple[str, ...] = ()
    include: Mapping[str, str] = field(default_factory=dict)
    label: tuple[str, ...] = ("name",)
    shows: tuple[str, ...] = ("id", "name")
    shown_in: tuple[str, ...] = ()
    record: Mapping[str, str] = field(default_factory=dict)
    apart: tuple[str, ...] = ()
    money: tuple[str, ...] = ()
    spans: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    shows_updated: bool = False
    hides: str = ""
    blank: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        body = set(BODIES[self.name].fields) if self.name in BODIES else set()
        offered = LISTS[self.name].parameters if self.name in LISTS else {}
        if lost := {*self.record, *self.apart, *self.money} - body:
            raise ValueError(f"resources.toml, {self.name}: no body has {sorted(lost)}")
        pairs = {name.removesuffix("From").removesuffix("To") for name in offered}
        if lost := {*self.filters, *self.exact, *self.include} - set(offered) - pairs:
            raise ValueError(f"resources.toml, {self.name}: the list takes no {sorted(lost)}")

    @property
    def table(self) -> str:
        """Name of the SQLite table."""
        return f"r_{self.name}"

    def fresh(self) -> dict[str, Any]:
        """What a record has where nothing else is said."""
        return {**self.blank, **dict.fromkeys(self.empty)}

    def field_of(self, name: str) -> str:
        """The record's field that a body's is kept in."""
        return self.record.get(name) or re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()

    def sql(self, path: str) -> str:
        """SQL for a field: its column where there is one, else out of the document."""
        if path.startswith("@"):
            # A moment, searched for as every list spells its dates.
            return f"dmy(substr(json_extract(doc, '$.{path[1:]}'), 1, 10))"
        if path in _COLUMNS_SHARED or path in self.columns:
            return path
        return f"json_extract(doc, '$.{path}')"

    def looks_at(self, parameter: str) -> tuple[str, ...]:
        """The fields that a parameter looks at."""
        found = self.filters.get(parameter, _DAYS.get(parameter, parameter))
        return (found,) if isinstance(found, str) else tuple(found)


def at(record: Mapping[str, Any], path: str) -> Any:
    """Value at a dotted path of a record; None when a step is missing or no object."""
    value: Any = record
    for step in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(step)
    return value


def short(record: Mapping[str, Any], resource: str) -> dict[str, Any]:
    """Part of a record that stands for it elsewhere."""
    return {name: at(record, name) for name in RESOURCES[resource].shows}


def of_invoice(invoice: Mapping[str, Any]) -> dict[str, Any]:
    """What a ticket says of its invoice (field notes, ticket); a refund is no payment of it."""
    dates = [one["date"] for one in invoice["payments"] if cents(one["amount"]) > 0]
    named = {"id": invoice["id"], "number": invoice.get("number")}
    last = dates[-1] if dates else None
    return {**named, "amount": invoice["amount_total"], "last_payment_date": last}


def due(document: Mapping[str, Any]) -> int:
    """Hundredths that an invoice or order has still to be paid."""
    paid = sum(cents(one["amount"]) for one in document["payments"])
    back = sum(cents(one["amount"]) for one in document.get("returns") or [])
    return cents(document["amount_total"]) - back - paid


def resource_of(row: List) -> Resource:
    """What a list shows the records of."""
    return RESOURCES[_VIEWS.get(row.name, row.name)]


_table = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"), parse_float=Decimal
)
RESOURCES: Mapping[str, Resource] = MappingProxyType(
    {name: Resource(name=name, **told) for name, told in _table.items()}
)
"""Resource name -> how it is kept; the 35 lists and ``info``."""
if set(RESOURCES) != {*LISTS, "info"} - set(_VIEWS):
    raise ValueError(f"resources.toml: {set(RESOURCES) ^ ({*LISTS, 'info'} - set(_VIEWS))}")
