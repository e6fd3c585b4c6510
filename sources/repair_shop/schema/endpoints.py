"""The lists of the service by their raw tables: a new one is one row of ``lists/``.

A row (a table of a ``.toml`` file, under the path of the list; a file for each chapter of the
specification) declares it whole: what can be asked of it, by the fields of :class:`Endpoint`, and
what its rows hold, by those of :class:`~repair_shop.schema.shapes.Table`. ``like``: it has all that
``common.toml`` says under that name, and what stands beside.

The specification shows no response field but a customer's ``id``, ``name`` and ``email``
("Resources and their fields"); the rest are the fields seen in the wild. So nothing here is relied
on to be there. A declared column exists in the warehouse even when no row has it, and an undeclared
field becomes a text column of its own. :mod:`repair_shop.schema.clean` loses neither.
"""

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

from ..schema.shapes import COMMON, LISTS, Child, Reference, Table

__all__ = ["ENDPOINTS", "Endpoint", "declare", "resource_named", "rows_of"]

_WORDS = ("one", "of", "called", "staged", "means")


@dataclass(frozen=True)
class Endpoint:
    """One list endpoint and how its rows are found again."""

    path: str
    """Relative to the base address, as the specification spells it."""
    shape: Table
    """The columns and nested lists of its rows, beside their key, ``shop_id`` and ``id``."""
    include: tuple[str, ...] = ()
    """Boolean include flags sent with every request."""
    sort: bool = True
    """``sort`` takes newest and oldest."""
    recently_updated: bool = False
    """``sort`` takes recently_updated too, which announces edits."""
    created_filter: bool = True
    """``createdDateFrom/To`` narrow the list by ``day_column``."""
    window: tuple[str, str] = ("createdDateFrom", "createdDateTo")
    """The pair of parameters that narrows the list by ``day_column``."""
    day_column: str = "created_date"
    """Column whose day the window filters on, and newest/oldest sort by."""
    updated_path: str | None = None
    """The ``/updated`` variant: rows by the day of their last change."""
    detail: bool = False
    """``GET path/{id}`` exists."""
    reread_by: str | None = None
    """Filter, from a day on, that announces edits of old rows (an invoice's payment dates)."""
    partition: bool = False
    """Tickets: the bare list hides those outside the pipeline, so it is read as status X and
    status not X, which together are every ticket (specification, GET /tickets)."""
    variants: tuple[Mapping[str, str], ...] = ()
    """Path variables of lists that stand for several, with the column they fill."""
    hidden: tuple[tuple[str, str], ...] = ()
    """Filters (parameter, value) of rows that the bare list may leave out: asked for weekly."""
    in_categories: str = ""
    """The variant whose bare list shows only its default rows; the rest is asked for weekly, by
    category and tab (specification, GET /customFields/{type})."""
    value: int = 1
    """How much an edit that goes unnoticed spoils; money first."""
    long: int = 0
    """Its place among the lists that grow with each day of business, those likely to be the longest
    first; 0: it stays short."""
    open_statuses: tuple[str, ...] = ()
    """Rows in such a status are asked again until they leave it (open purchase orders)."""

    @property
    def tells_edits(self) -> bool:
        """Whether the list tells of its edits, or is read whole each night."""
        announces = bool(self.updated_path) or self.recently_updated
        return announces or bool(self.variants) or not self.sort

    @property
    def include_params(self) -> dict[str, str]:
        """Parameters that switch the include flags on."""
        return dict.fromkeys(self.include, "True")

    @cached_property
    def resources(self) -> tuple[str, ...]:
        """The ledger's names of it: the table, with each variant where it stands for several."""
        return tuple(":".join((self.table, *one.values())) for one in self.variants or ({},))

    @property
    def variant_columns(self) -> tuple[str, ...]:
        """The columns that say which variant a row is of."""
        return tuple(self.variants[0]) if self.variants else ()

    @cached_property
    def name(self) -> str:
        """The endpoint's name in the specification, e.g. ``ticketInvoices``."""
        words = re.sub(r"/\{\w+\}", "", self.path).strip("/")
        return re.sub("/(.)", lambda found: found[1].upper(), words)

    @cached_property
    def table(self) -> str:
        """The raw table: its name in snake_case, e.g. ``ticket_invoices``."""
        return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", self.name).lower()


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
    common: dict[str, Any] = COMMON[kind][own.pop("like")] if "like" in own else {}
    return common | own


def _with_names(row: Mapping[str, Any]) -> dict[str, Any]:
    several = ("fields", "aliases")
    return {name: tuple(v.split()) if name in several else v for name, v in row.items()}


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


_ENDPOINTS: dict[str, Endpoint] = {}


def declare(row: Endpoint) -> None:
    """One more list; everything that reads, keeps, loads and shows lists knows it from here.

    Raises ValueError for a second one of the same table.
    """
    if row.table in _ENDPOINTS:
        raise ValueError(f"{row.path}: there is a list for table {row.table!r} already")
    _ENDPOINTS[row.table] = row


for _chapter in ("people", "tickets", "sales", "goods", "others"):
    for _row in rows_of((LISTS / f"{_chapter}.toml").read_text(encoding="utf-8")):
        declare(_row)

ENDPOINTS: Mapping[str, Endpoint] = MappingProxyType(_ENDPOINTS)
"""Raw table -> endpoint, in the specification's order; all 35 lists."""


class UnknownResource(Exception):
    """No list endpoint has that name; the message lists those that exist. Exit code 2."""

    exit_code = 2


def resource_named(text: str) -> Endpoint:
    """The endpoint called ``text``: its name (``ticketInvoices``), table or path."""
    wanted = text.strip().strip("/")
    for row in ENDPOINTS.values():
        if wanted in (row.table, row.name, row.path.strip("/")) or wanted == row.name.lower():
            return row
    if wanted in ("posInvoices", "pos_invoices"):
        return ENDPOINTS["pos_orders"]
    names = [row.name for row in ENDPOINTS.values()]
    near = difflib.get_close_matches(wanted, [*names, *ENDPOINTS], n=1)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    raise UnknownResource(f"There is no resource '{text}'. Known: {', '.join(names)}.{hint}")
