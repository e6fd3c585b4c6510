"""The table of endpoints: specification, "Endpoints". Adding an endpoint is adding a row.

Each row declares what can be asked of one list: the path, the parameters sent with every request
(include flags bring lines, payments and returns along, never one request a document), the sort
orders and filters the specification offers, and from those follows how the list is kept up to
date. A row that makes no sense fails at import.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from ..schema.columns import TABLES


@dataclass(frozen=True)
class Endpoint:
    """One list endpoint and how its rows are found again."""

    path: str
    """Relative to the base address, as the specification spells it."""
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
    open_statuses: tuple[str, ...] = ()
    """Rows in such a status are asked again until they leave it (open purchase orders)."""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"(/[a-zA-Z]+|/\{[a-z]+\})+", self.path):
            raise ValueError(f"{self.path!r} is no path of a list")
        if self.table not in TABLES:
            raise ValueError(f"{self.path}: no columns are declared for table {self.table!r}")
        if self.recently_updated and not self.sort:
            raise ValueError(f"{self.path}: a list without sort has no recently_updated")
        if ("{" in self.path) != bool(self.variants):
            raise ValueError(f"{self.path}: path variables and variants go together")
        columns = TABLES[self.table].flat_columns()
        if self.created_filter and columns.get(self.day_column) != "moment":
            raise ValueError(f"{self.path}: {self.day_column!r} is no declared moment")
        if self.partition and not self.created_filter:
            raise ValueError(f"{self.path}: a partitioned list needs its window")

    @property
    def include_params(self) -> dict[str, str]:
        """Parameters that switch the include flags on."""
        return dict.fromkeys(self.include, "True")

    @cached_property
    def name(self) -> str:
        """The endpoint's name in the specification, e.g. ``ticketInvoices``."""
        first, *rest = [part for part in self.path.strip("/").split("/") if "{" not in part]
        return first + "".join(part[:1].upper() + part[1:] for part in rest)

    @cached_property
    def table(self) -> str:
        """The raw table: the path in snake_case, e.g. ``ticket_invoices``."""
        parts = [part for part in self.path.strip("/").split("/") if "{" not in part]
        return "_".join(re.sub(r"(?<=[a-z])([A-Z])", r"_\1", part).lower() for part in parts)


_INACTIVE = ("status", "In active")
_SETTLED = (("status", "Paid"), ("status", "Due"))
_USED_UP = (("internal_use", "True"), ("breakage", "True"))
_DOCUMENT = ("includePayments", "includeLines", "includeReturns")

_ROWS: tuple[Endpoint, ...] = (
    # Shop
    Endpoint("/users", detail=True, hidden=(_INACTIVE,)),
    Endpoint("/taxRates", sort=False, created_filter=False),
    Endpoint("/paymentMethods"),
    Endpoint("/timeClock", detail=True),
    # Appointments
    Endpoint(
        "/appointments",
        updated_path="/appointments/updated",
        detail=True,
        hidden=(("startDateFrom", "01-Jan-2000"),),
    ),
    # Customers
    Endpoint("/customers", ("includeCustomFields",), detail=True),
    Endpoint("/groups", detail=True),
    # Tickets
    Endpoint(
        "/tickets",
        ("includeLines", "includePayments", "includeCustomFields"),
        recently_updated=True,
        updated_path="/tickets/updated",
        detail=True,
        partition=True,
    ),
    Endpoint(
        "/ticketComments",
        recently_updated=True,
        created_filter=False,
        hidden=(("type", "private"),),
    ),
    Endpoint("/ticketTimers", created_filter=False, detail=True, hidden=(("running", "True"),)),
    Endpoint("/statuses", hidden=(("type", "repair_notes"),)),
    Endpoint("/presets", detail=True),
    Endpoint("/presetCategories", created_filter=False),
    Endpoint("/issueTypes"),
    # Invoices and payments. /posInvoices has the role of /posOrders and is not asked twice.
    Endpoint(
        "/ticketInvoices",
        _DOCUMENT,
        detail=True,
        reread_by="paymentDateFrom",
        hidden=_SETTLED,
    ),
    Endpoint("/posOrders", _DOCUMENT, detail=True, hidden=_SETTLED),
    Endpoint(
        "/payments",
        ("includeResource",),
        window=("paymentDateFrom", "paymentDateTo"),
        day_column="date",
        hidden=(("filter", "pos"), ("filter", "return")),
    ),
    # Products, models, categories, brands
    Endpoint(
        "/products",
        ("includeCustomFields", "includeXsellUpsell"),
        recently_updated=True,
        updated_path="/products/updated",
        detail=True,
        hidden=(_INACTIVE, ("type", "service")),
    ),
    Endpoint("/warranties"),
    Endpoint("/models", detail=True),
    Endpoint("/modelGroups", detail=True),
    Endpoint("/categories", detail=True),
    Endpoint("/brands", detail=True),
    # Stock
    Endpoint("/stockCount", created_filter=False),
    Endpoint("/stock", detail=True, hidden=_USED_UP),
    Endpoint("/serials", detail=True),
    Endpoint("/adjustments", detail=True, hidden=_USED_UP),
    # Suppliers, purchasing, leads, custom fields, misc
    Endpoint("/suppliers", detail=True, hidden=(_INACTIVE,)),
    Endpoint(
        "/purchaseOrders",
        ("includeLines",),
        detail=True,
        hidden=(("status", "Received"),),
        open_statuses=("Pending", "Ordered", "Waiting Confirmation", "Partially Delivered"),
    ),
    Endpoint("/expenses"),
    Endpoint("/expenseCategories"),
    Endpoint("/leads", detail=True, hidden=(("status", "Won"), ("status", "Lost"))),
    Endpoint(
        "/customFields/{type}",
        sort=False,
        created_filter=False,
        variants=tuple(
            MappingProxyType({"type": kind})
            for kind in ("tickets", "leads", "customers", "products")
        ),
        in_categories="tickets",
    ),
    Endpoint("/shipments", created_filter=False),
    Endpoint("/shipments/deleted", created_filter=False),
)

ENDPOINTS: Mapping[str, Endpoint] = MappingProxyType({row.table: row for row in _ROWS})
"""Raw table -> endpoint, in the specification's order; all 35 lists."""

REPORTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "monthly_sales": ("/monthlySales", "year"),
        "monthly_purchases": ("/monthlyPurchases", "year"),
        "daily_sales": ("/dailySales", "dateFrom", "dateTo"),
        "daily_purchases": ("/dailyPurchases", "dateFrom", "dateTo"),
    }
)
"""Report -> path and its parameters (specification, "reports")."""

INFO_PATH = "/info"


class UnknownResource(Exception):
    """No list endpoint has that name; the message lists those that exist. Exit code 2."""

    exit_code = 2


def resource_named(text: str) -> Endpoint:
    """The endpoint called ``text``: its name (``ticketInvoices``), table or path."""
    wanted = text.strip().strip("/")
    for row in _ROWS:
        if wanted in (row.table, row.name, row.path.strip("/")) or wanted == row.name.lower():
            return row
    if wanted in ("posInvoices", "pos_invoices"):
        return ENDPOINTS["pos_orders"]
    names = [row.name for row in _ROWS]
    near = difflib.get_close_matches(wanted, [*names, *ENDPOINTS], n=1)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    raise UnknownResource(f"There is no resource '{text}'. Known: {', '.join(names)}.{hint}")


if len(ENDPOINTS) != len(_ROWS):
    raise ValueError("two endpoints share a table")
