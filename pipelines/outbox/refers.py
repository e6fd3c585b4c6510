"""Which request fields name another record, or a label: where each must be found."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pipelines.outbox.change import Fields, Reference


@dataclass(frozen=True)
class Target:
    """Where a value must be found: a raw table, its columns, and the kind of its rows."""

    table: str
    columns: tuple[str, ...] = ("id",)
    kind: str = ""
    is_list: bool = False


_TICKET = Target("tickets", ("id", "ticket_ref", "ticket_no"))
_ISSUE = Target("issue_types", ("id", "label"))
_USER = Target("users")
_PRODUCT = Target("products")

REFERS: Mapping[str, Mapping[str, Target]] = {
    "customers": {"tax": Target("tax_rates"), "group": Target("groups", ("name",))},
    "tickets": {
        "customerId": Target("customers", ("id", "name")),
        "status": Target("statuses", ("id", "label"), "repair"),
        "issueType": _ISSUE,
        "userId": _USER,
        "presetId": Target("presets"),
        "deviceModelId": Target("models"),
        "lines.productCode": Target("products", ("code",)),
    },
    "ticket_comments": {
        "ticket": _TICKET,
        "status": Target("statuses", ("id", "label"), "repair_notes"),
    },
    "ticket_timers": {"ticket": _TICKET, "userId": _USER},
    "payments": {
        "invoiceId": Target("ticket_invoices"),
        "lines.paymentMethod": Target("payment_methods", ("id", "title")),
    },
    "products": {
        "category": Target("categories"),
        "model": Target("models"),
        "supplier": Target("suppliers"),
        "warranty": Target("warranties"),
        "tax": Target("tax_rates"),
        "boughtFrom": Target("customers"),
    },
    "models": {"brand": Target("brands"), "model_group": Target("model_groups")},
    "categories": {"parent_category": Target("categories")},
    "stock": {"product": _PRODUCT},
    "adjustments": {"products.product_id": _PRODUCT, "add_products.ad_product_id": _PRODUCT},
    "leads": {"issueType": _ISSUE, "userId": _USER},
    "appointments": {
        "ticket": _TICKET,
        "customer": Target("customers"),
        "leads": Target("leads"),
        "presetId": Target("presets"),
        "attendees": Target("users", is_list=True),
    },
    "time_clock": {"userId": _USER},
}
"""Resource -> request field (``lines.productCode``: of each line) -> where it must be found."""


def takes_id(resource: str, field: str) -> bool:
    """Whether a request field takes the id of another record, and no label of it."""
    target = REFERS.get(resource, {}).get(field)
    return target is not None and target.columns == ("id",)


def mentions(
    resource: str, record_id: str | Reference | None, body: Fields
) -> Iterator[tuple[str, Target, str]]:
    """The records and labels that a change names: the field, where it is found, the value."""
    if isinstance(record_id, str) and not record_id.startswith("@"):
        yield "id", Target(resource), record_id
    for field, target in REFERS.get(resource, {}).items():
        outer, _, inner = field.partition(".")
        if outer not in body:
            continue
        value = body[outer]
        found = [line.get(inner) for line in value] if inner else [value]
        for one in found:
            several = one if isinstance(one, list) else [one]
            if target.is_list and isinstance(one, str):
                several = [part.strip() for part in one.split(",")]
            for single in several:
                if isinstance(single, str | int) and str(single).strip():
                    yield field, target, str(single)
