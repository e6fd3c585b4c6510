"""Looking for a customer, ticket or document; and what is open in the drawer.

What is open is named by a :class:`Key`, which the page's address holds as ``shop/kind/id``.
"""

from dataclasses import dataclass
from typing import Any, Self

import streamlit as st

from pipelines.dashboard import asked
from pipelines.dashboard.asked import Names, cached
from pipelines.dashboard.table import Listing, Opens, draw, window
from pipelines.dashboard.view import Selection
from pipelines.language import Text, _, shown
from pipelines.language.words import word
from pipelines.publish.published import Published, Rows
from pipelines.report import formats

KINDS = ("ticket_invoice", "pos_order", "ticket", "customer")
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


def opens(kind: str = "", column: str = "kind") -> Opens:
    """Row -> the key of what it is about: a thing of that kind, else of the one in a column."""
    return lambda row: Key(row["shop"], kind or row[column], row["id"])


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


_PLAIN = "translate(strip_accents(lower({})), '\u0142\u00f8\u0111\u0131', 'lodi')"
"""A text as it is typed without accents; strip_accents leaves strokes in their letters."""


@cached
def found(warehouse: Published, names: Names, text: str) -> Rows:
    """Customers, tickets and documents that have all words of ``text``, numbers first."""
    values = {f"w{place}": word for place, word in enumerate(text.lower().split()[:6])}
    has_all = " and ".join(
        f"contains({_PLAIN.format('where_said')}, {_PLAIN.format('$' + name)})" for name in values
    )
    newest = "is_it desc, day desc nulls last, number"
    return warehouse.rows(
        f"""
        select *, coalesce(lower(number) = $whole, false) as is_it, count(*) over () as of
        from ({" union all ".join(_SOURCES)})
        where list_contains($shops, shop) and {has_all}
        qualify row_number() over (partition by kind order by {newest}) <= {_MOST}
        order by is_it desc, kind, day desc, number
        """,  # noqa: S608 - ours
        {"shops": list(names), "whole": text.strip().lower(), **values},
    )


_OF_DOCUMENT = "document_type = $kind and document_id = $id"
_OF = {
    "ticket_invoice": _OF_DOCUMENT,
    "pos_order": _OF_DOCUMENT,
    "ticket": "ticket_id = $id",
    "customer": "customer_id = $id",
}
"""Kind -> what belongs to a thing of that kind."""
_ITSELF = {"ticket": ("tickets", "id = $id"), "customer": ("customers", "id = $id")}
"""Kind -> its mart, and its row there; documents have one mart."""
_BELONGINGS = (
    (("ticket_invoice", "pos_order"), Listing(
        "its-lines", "item code kind quantity price discount tax total", note=Text("Lines"), sql="""
    select effect as kind, coalesce(item_description, product_code) as item, product_code as code,
        quantity, unit_price as price, discount, tax, total
    from marts.sales_lines where {of_it} order by effect = 'return', effect_key, position
    """)),
    (("ticket", "customer"), Listing(
        "its-documents", "day kind number gross paid due status", note=Text("Documents"),
        opens=opens(column="document_type"), sql="""
    select shop_id as shop, document_type as kind, document_type, document_number as number,
        created_day as day, gross, paid, documents.due as due, status, document_id as id
    from marts.documents where {of_it} order by day desc
    """)),
    (("ticket_invoice", "pos_order", "customer"), Listing(
        "its-tickets", "number day device status technician due", note=Text("Tickets"),
        opens=opens("ticket"), headings={"day": Text("Opened on")}, sql="""
    select shop_id as shop, coalesce(ticket_ref, ticket_no::varchar) as number, opened_day as day,
        replace(device, '|', ' ') as device, status, technician, tickets.due as due, id
    from marts.tickets where {of_it} order by day desc
    """)),
    (KINDS, Listing(
        "its-payments", "day amount kind method note", note=Text("Payments"),
        none=Text("No payments."), sql="""
    select day, amount, kind, payment_method as method, note
    from marts.payments where {of_it} order by paid_at
    """)),
)  # fmt: skip
"""What belongs to things of which kinds."""


# -- drawn ----------------------------------------------------------------------------------------


_FOUND = Listing(
    "found", "shop kind number customer day amount", Text("Found"),
    opens=opens(), headings={"day": Text("Last seen")},
)  # fmt: skip


def results(selection: Selection, text: str) -> None:
    """What was found; choosing a row opens it."""
    rows = found(selection.home, selection.names, text)
    if not rows:
        st.info(_("Nothing was found."))
        return
    draw(selection, _FOUND, rows)


def drawer(selection: Selection, key: Key) -> None:
    """One document with its lines and payments, a ticket with its documents, or a customer, in a
    window of its own before the page."""
    mart, itself = _ITSELF.get(key.kind, ("documents", _OF_DOCUMENT))
    values: dict[str, Any] = {"shop": key.shop, "kind": key.kind, "id": key.id}
    sql = f"from marts.{mart} where shop_id = $shop and {itself}"
    there = asked.rows(selection.home, sql, selection.names, values)
    if not there:
        window(_("It is not there any more."), lambda: None)
        return
    values["ticket"] = there[0].get("ticket_id")

    def drawn() -> None:
        _facts(selection, key, there[0])
        for kinds, listing in _BELONGINGS:
            of_it = _OF[key.kind]
            if listing.name == "its-tickets" and of_it == _OF_DOCUMENT:
                of_it = "id = $ticket"
            # What is opened from here has tables of its own.
            own = listing._replace(
                name=f"{listing.name}-{key}",
                sql=listing.sql.format(of_it=f"shop_id = $shop and {of_it}"),
            )
            rows = own.ask(selection, **values) if key.kind in kinds else []
            if rows or kinds == KINDS:
                draw(selection, own, rows)

    window(_title(key, there[0]), drawn)


def _title(key: Key, facts: dict[str, Any]) -> str:
    kind = word(key.kind)
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


def _facts(selection: Selection, key: Key, facts: dict[str, Any]) -> None:
    facts = facts | {"technician": None} if facts.get("is_unassigned") else facts
    said = [(_("Shop"), key.shop)] if len(selection.names) > 1 else []
    for name, label, kind in _FACTS:
        value = facts.get(name)
        if value not in (None, ""):
            text = word(value) if kind == "word" else formats.written(value, kind, selection.unit)
            said.append((shown(label), text.replace("|", " ")))
    with st.container(horizontal=True, gap="medium"):
        for heading, text in said:
            with st.container(width="content", gap=None):
                st.caption(heading)
                st.text(text)
