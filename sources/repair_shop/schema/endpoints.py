"""Every list of the service by the name of its raw table (specification, "Endpoints")."""

import difflib
from collections.abc import Mapping
from types import MappingProxyType

from ..schema.endpoint import Endpoint
from ..schema.lists import ROWS
from ..schema.shapes import Table

__all__ = ["ENDPOINTS", "TABLES", "Endpoint", "declare", "resource_named"]

_ENDPOINTS: dict[str, Endpoint] = {}
_TABLES: dict[str, Table] = {}


def declare(row: Endpoint) -> None:
    """One more list; everything that reads, keeps, loads and shows lists knows it from here.

    Raises ValueError for a second one of the same table.
    """
    if row.table in _ENDPOINTS:
        raise ValueError(f"{row.path}: there is a list for table {row.table!r} already")
    _ENDPOINTS[row.table] = row
    _TABLES[row.table] = row.shape


for _row in ROWS:
    declare(_row)

ENDPOINTS: Mapping[str, Endpoint] = MappingProxyType(_ENDPOINTS)
"""Raw table -> endpoint, in the specification's order; all 35 lists."""

TABLES: Mapping[str, Table] = MappingProxyType(_TABLES)
"""Raw table -> what its rows hold."""


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
