"""Shops generated once for all tests of this folder."""

from collections import defaultdict
from typing import Any

from sandbox.generator import generate

Shop = dict[str, list[dict[str, Any]]]


def build(**changes: Any) -> Shop:
    """A shop's records by list; ``changes`` override the arguments of ``generate``."""
    arguments: dict[str, Any] = {
        "seed": 11,
        "size": "small",
        "shop": "centro",
        "timezone": "America/New_York",
    }
    shop: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for resource, record in generate(**(arguments | changes)):
        shop[resource].append(record)
    return dict(shop)


def documents(shop: Shop) -> list[dict[str, Any]]:
    """All that the shop sold."""
    return [*shop["ticket_invoices"], *shop["pos_orders"]]
