"""The lists of the specification as a table: a row for each, with every parameter of its line."""

from __future__ import annotations

from sandbox import lists_goods, lists_service
from sandbox.listing import ListEndpoint

CUSTOM_FIELD_TYPES = ("tickets", "leads", "customers", "products")
"""Types of ``/customFields/{type}``."""

GROUPS: dict[str, tuple[ListEndpoint, ...]] = {
    "Shop": lists_service.SHOP,
    "Appointments": lists_service.APPOINTMENTS,
    "Customers": lists_service.CUSTOMERS,
    "Tickets": lists_service.TICKETS,
    "Invoices and payments": lists_service.MONEY,
    "Products": lists_goods.PRODUCTS,
    "Stock": lists_goods.STOCK,
    "Purchasing, leads and the rest": lists_goods.REST,
}
"""Heading of the specification -> its lists."""

LISTS = tuple(row for rows in GROUPS.values() for row in rows)
"""Every list; the ``/updated`` ones stand behind their own list."""
