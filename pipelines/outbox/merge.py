"""Which updates of one record may leave as one request: only where that means the same.

"Means the same" is: after the merged request the record is what it would be after both, one after
the other. Fields that do something (print, make an invoice, add stock) or that are read together
with others (prices with their tax, discounts with the group discount) are not merged blindly.
"""

from collections.abc import Mapping, Sequence
from typing import Any

ACTING = frozenset(
    (
        "lines presetId createInvoice invoiceDate invoiceDueDate printInvoice printReceipt "
        "printLabel stockQuantity stock_cog_per_item add_products update_products delete_products "
        "other_serial_update"
    ).split()
)
"""Fields that do something each time they are sent."""

ONCE_ONLY = frozenset(
    (
        "printInvoice printReceipt printLabel stockQuantity stock_cog_per_item add_products "
        "delete_products"
    ).split()
)
"""Fields that must not be sent twice. Lines are upserted by product code, and an invoice that
exists is updated (specification, Ticket), so those may."""

_READ_TOGETHER = (
    frozenset({"discount", "discountLevel", "customerGroupDiscount"}),
    frozenset(
        (
            "tax cost price offerPrice TaxIncludedInCost TaxIncludedInPrice TaxIncludedInOfferPrice"
        ).split()
    ),
)


def mergeable(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether sending ``first | second`` equals sending the two in turn."""
    if ACTING & (first.keys() | second.keys()):
        return False
    return all(
        not (group & second.keys()) or (group & first.keys()) <= second.keys()
        for group in _READ_TOGETHER
    )


def merged_body(bodies: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The one body; what was queued later wins."""
    return {name: value for body in bodies for name, value in body.items()}


def merged_base(bases: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The basis of the one request: for each field the earliest."""
    result: dict[str, dict[str, Any]] = {"values": {}, "seen": {}}
    for base in bases:
        for kind in ("values", "seen"):
            for name, value in base.get(kind, {}).items():
                if name not in result["values"] and name not in result["seen"]:
                    result[kind][name] = value
    return result
