"""Looking for a customer, ticket or document, and all there is about one of them.

A thing is named by its :class:`Key`, which the page's address holds as ``shop/kind/id``.
"""

from dataclasses import dataclass
from typing import Any, Self

from pipelines.dashboard.asking import kept
from pipelines.dashboard.details import Names, Rows
from pipelines.publish.published import Published

KINDS = ("ticket_invoice", "pos_order", "ticket", "customer")
_MOST = 25


@dataclass(frozen=True)
class Key:
    """What is open on the page."""

    shop: str
    kind: str
    id: str

    def __str__(self) -> str:
        return f"{self.shop}/{self.kind}/{self.id}"

    @classmethod
    def read(cls, text: str) -> Self | None:
        """The key of an address; None when it is none."""
        parts = text.split("/", 2)
        return cls(*parts) if len(parts) == 3 and parts[1] in KINDS else None


@dataclass(frozen=True)
class Thing:
    """One document, ticket or customer: its own row, and what belongs to it."""

    key: Key
    facts: dict[str, Any]
    lines: Rows
    payments: Rows
    documents: Rows
    tickets: Rows


@kept
def search(warehouse: Published, names: Names, text: str) -> Rows:
    """Customers, tickets and documents that have all words of ``text``, numbers first."""
    words = text.lower().split()[:6]
    if not words:
        return []
    values = {f"w{place}": word for place, word in enumerate(words)}
    has_all = " and ".join(
        f"contains(strip_accents(lower(where_said)), strip_accents(${name}))" for name in values
    )
    parts = [
        f"(select *, coalesce(lower(number) = $whole, false) as is_it from ({source}) "  # noqa: S608 - ours
        f"where list_contains($shops, shop) and {has_all} "
        f"order by is_it desc, day desc nulls last limit {_MOST})"
        for source in _SOURCES
    ]
    return warehouse.rows(
        f"select * from ({' union all '.join(parts)}) order by is_it desc, kind, day desc",  # noqa: S608 - ours
        {"shops": list(names), "whole": text.strip().lower(), **values},
    )


_SOURCES = (
    """
    select shop_id as shop, 'customer' as kind, ref as number, name as customer,
        last_visit_day as day, lifetime_value as amount, id,
        concat_ws(' ', ref, name, company, email, mobile) as where_said
    from marts.customers
    """,
    """
    select shop_id as shop, 'ticket' as kind,
        coalesce(ticket_ref, ticket_no::varchar) as number, customer_name as customer,
        opened_day as day, invoiced as amount, id,
        concat_ws(' ', ticket_ref, ticket_no, customer_name, device, short_info) as where_said
    from marts.tickets
    """,
    """
    select shop_id as shop, document_type as kind, document_number as number,
        customer_name as customer, created_day as day, gross as amount, document_id as id,
        concat_ws(' ', document_number, customer_name) as where_said
    from marts.documents
    """,
)

_DOCUMENTS = """
select shop_id as shop, document_type as kind, document_type, document_number as number,
    created_day as day, gross, paid, documents.due as due, status, document_id as id
from marts.documents
"""
_TICKETS = """
select shop_id as shop, coalesce(ticket_ref, ticket_no::varchar) as number, opened_day as day,
    replace(device, '|', ' ') as device, status, technician, tickets.due as due, id
from marts.tickets
"""


@kept
def thing(warehouse: Published, key: Key) -> Thing | None:
    """All there is about one document, ticket or customer; None when it is not there."""
    is_document = key.kind in ("ticket_invoice", "pos_order")
    values: dict[str, Any] = {"shop": key.shop, "kind": key.kind, "id": key.id}
    one = "where shop_id = $shop and {} = $id"
    if is_document:
        table, of_it = "documents", one.format("document_id") + " and document_type = $kind"
        belongs, its_tickets = of_it, "where shop_id = $shop and id = $ticket"
    else:
        table, of_it = f"{key.kind}s", one.format("id")
        belongs = its_tickets = one.format(f"{key.kind}_id")
    found = warehouse.rows(f"select * from marts.{table} {of_it}", values)  # noqa: S608 - ours
    if not found:
        return None
    values["ticket"] = found[0].get("ticket_id")

    def rows(sql: str, condition: str, order: str) -> Rows:
        return warehouse.rows(f"{sql} {condition} order by {order} limit 200", values)

    lines_first = "effect = 'return', effect_key, position"
    return Thing(
        key=key,
        facts=found[0],
        lines=rows(_LINES, of_it, lines_first) if is_document else [],
        payments=rows(_PAYMENTS, belongs, "paid_at"),
        documents=[] if is_document else rows(_DOCUMENTS, belongs, "day desc"),
        tickets=[] if key.kind == "ticket" else rows(_TICKETS, its_tickets, "day desc"),
    )


_LINES = """
select effect as kind, coalesce(item_description, product_code) as item, product_code as code,
    quantity, unit_price as price, discount, tax, total
from marts.sales_lines
"""
_PAYMENTS = """
select day, amount, kind, payment_method as method, note from marts.payments
"""
