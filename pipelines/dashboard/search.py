"""Looking for a customer, ticket or document; and what is open in the drawer.

What is open is named by a :class:`Key`, which the page's address holds as ``shop/kind/id``.
"""

from dataclasses import dataclass
from typing import Any, Self

import streamlit as st

from pipelines.dashboard.asked import Names, Rows, cached
from pipelines.dashboard.plain import plain
from pipelines.dashboard.table import open_thing, table
from pipelines.dashboard.view import Selection
from pipelines.dashboard.words import word
from pipelines.language import Text, _, current, shown
from pipelines.publish.published import Published
from pipelines.report import formats

KINDS = ("ticket_invoice", "pos_order", "ticket", "customer")
_DOCUMENTS = KINDS[:2]
_MOST = 25


@dataclass(frozen=True)
class Key:
    """A document, ticket or customer."""

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

    @classmethod
    def of(cls, kind: str) -> Any:
        """Row -> the key of the thing of that kind that it is about."""
        return lambda row: cls(row["shop"], kind, row["id"])


def document_key(row: dict[str, Any]) -> Key:
    """The document that a row names by ``shop, document_type, id``."""
    return Key(row["shop"], row["document_type"], row["id"])


@dataclass(frozen=True)
class Thing:
    """One document, ticket or customer: its own row, and what belongs to it."""

    key: Key
    facts: dict[str, Any]
    lines: Rows
    payments: Rows
    documents: Rows
    tickets: Rows


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


@cached
def found(warehouse: Published, names: Names, text: str) -> Rows:
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


@cached
def thing(warehouse: Published, key: Key) -> Thing | None:
    """All there is about one document, ticket or customer; None when it is not there."""
    is_document = key.kind in _DOCUMENTS
    values: dict[str, Any] = {"shop": key.shop, "kind": key.kind, "id": key.id}
    one = "where shop_id = $shop and {} = $id"
    if is_document:
        table, of_it = "documents", one.format("document_id") + " and document_type = $kind"
        belongs, its_tickets = of_it, "where shop_id = $shop and id = $ticket"
    else:
        table, of_it = f"{key.kind}s", one.format("id")
        belongs = its_tickets = one.format(f"{key.kind}_id")
    facts = warehouse.rows(f"select * from marts.{table} {of_it}", values)  # noqa: S608 - ours
    if not facts:
        return None
    values["ticket"] = facts[0].get("ticket_id")

    def rows(sql: str, condition: str, order: str) -> Rows:
        return warehouse.rows(f"{sql} {condition} order by {order} limit 200", values)

    return Thing(
        key=key,
        facts=facts[0],
        lines=rows(
            "select effect as kind, coalesce(item_description, product_code) as item, product_code "
            "as code, quantity, unit_price as price, discount, tax, total from marts.sales_lines",
            of_it,
            "effect = 'return', effect_key, position",
        )
        if is_document
        else [],
        payments=rows(
            "select day, amount, kind, payment_method as method, note from marts.payments",
            belongs,
            "paid_at",
        ),
        documents=[]
        if is_document
        else rows(
            "select shop_id as shop, document_type as kind, document_type, document_number as "
            "number, created_day as day, gross, paid, documents.due as due, status, document_id "
            "as id from marts.documents",
            belongs,
            "day desc",
        ),
        tickets=[]
        if key.kind == "ticket"
        else rows(
            "select shop_id as shop, coalesce(ticket_ref, ticket_no::varchar) as number, "
            "opened_day as day, replace(device, '|', ' ') as device, status, technician, "
            "tickets.due as due, id from marts.tickets",
            its_tickets,
            "day desc",
        ),
    )


# -- drawn ----------------------------------------------------------------------------------------


def results(selection: Selection, text: str) -> None:
    """What was found; choosing a row opens it."""
    rows = found(selection.home, selection.names, text)
    if not rows:
        st.info(_("Nothing was found."))
        return
    st.subheader(_("Found"))
    table(
        selection, rows, "shop kind number customer day amount", "found",
        lambda row: Key(row["shop"], row["kind"], row["id"]), day=Text("Last seen"),
    )  # fmt: skip


def drawer(selection: Selection, key: Key) -> None:
    """One document with its lines and payments, a ticket with its documents, or a customer, in a
    window of its own before the page."""
    there = thing(selection.home, key)
    title = _title(there) if there else _("It is not there any more.")

    @st.dialog(plain(title), width="large", on_dismiss=lambda: open_thing(""))
    def window() -> None:
        if there is not None:
            _facts(selection, there)
            _belongings(selection, there)

    window()


def _title(there: Thing) -> str:
    facts, kind = there.facts, word(there.key.kind)
    numbers = ("document_number", "ticket_ref", "ticket_no", "ref")
    number = next((facts[name] for name in numbers if facts.get(name)), "")
    return f"{kind[:1].upper()}{kind[1:]} {number}".strip()


_FACTS = (
    ("customer_name", Text("Customer"), "text"),
    ("name", Text("Customer"), "text"),
    ("company", Text("Company"), "text"),
    ("mobile", Text("Telephone"), "text"),
    ("email", Text("E-mail"), "text"),
    ("created_day", Text("Made on"), "day"),
    ("opened_day", Text("Opened on"), "day"),
    ("last_visit_day", Text("Last seen"), "day"),
    ("promised_day", Text("Promised"), "day"),
    ("done_day", Text("Closed on"), "day"),
    ("device", Text("Device"), "text"),
    ("issue_type", Text("Issue"), "text"),
    ("status", Text("Status"), "word"),
    ("technician", Text("Technician"), "text"),
    ("gross", Text("Gross"), "money"),
    ("tax", Text("Tax"), "money"),
    ("returned", Text("Returned"), "money"),
    ("invoiced", Text("Invoiced"), "money"),
    ("paid", Text("Paid"), "money"),
    ("lifetime_value", Text("Bought so far"), "money"),
    ("due", Text("Still due"), "money"),
)


def _facts(selection: Selection, there: Thing) -> None:
    facts = there.facts | {"technician": None} if there.facts.get("is_unassigned") else there.facts
    said = [(_("Shop"), there.key.shop)] if len(selection.names) > 1 else []
    for name, label, kind in _FACTS:
        value = facts.get(name)
        if value not in (None, ""):
            said.append((shown(label), _written(selection, value, kind)))
    with st.container(horizontal=True, gap="medium"):
        for heading, text in said:
            with st.container(width="content", gap=None):
                st.caption(heading)
                st.text(text)


def _written(selection: Selection, value: Any, kind: str) -> str:
    if kind == "money":
        return formats.money(value, selection.unit)
    if kind == "day":
        return current().day(value)
    return word(value) if kind == "word" else str(value).replace("|", " ")


def _belongings(selection: Selection, there: Thing) -> None:
    if there.lines:
        st.caption(_("Lines"))
        table(selection, there.lines, "item code kind quantity price discount tax total")
    if there.documents:
        st.caption(_("Documents"))
        columns = "day kind number gross paid due status"
        table(selection, there.documents, columns, "its-documents", document_key)
    if there.tickets:
        st.caption(_("Tickets"))
        columns = "number day device status technician due"
        table(
            selection, there.tickets, columns, "its-tickets", Key.of("ticket"),
            day=Text("Opened on"),
        )  # fmt: skip
    st.caption(_("Payments"))
    if there.payments:
        table(selection, there.payments, "day amount kind method note")
    else:
        st.text(_("No payments."))
