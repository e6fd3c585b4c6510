"""What is declared of one list endpoint: what can be asked of it, and what its rows hold."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ..schema.shapes import Table


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
