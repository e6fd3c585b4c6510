"""What was looked for, and the one document, ticket or customer that is open."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pipelines.dashboard import found
from pipelines.dashboard.found import Key, Thing
from pipelines.dashboard.sections import Selection, document_key
from pipelines.dashboard.table import Col, open_thing
from pipelines.dashboard.words import word
from pipelines.language import Text, _, shown
from pipelines.report import formats


def search(selection: Selection, text: str) -> None:
    """What was found; choosing a row opens it."""
    rows = found.search(selection.home, selection.names, text)
    if not rows:
        st.info(_("Nothing was found."))
        return
    st.subheader(_("Found"))
    selection.table(
        rows,
        [
            *selection.shop,
            Col("kind", _("Kind"), "word"),
            Col("number", _("Number")),
            Col("customer", _("Customer")),
            Col("day", _("Day"), "day"),
            Col("amount", _("Amount"), "money"),
        ],
        "found",
        lambda row: Key(row["shop"], row["kind"], row["id"]),
    )


def thing(selection: Selection, key: Key) -> None:
    """One document with its lines and payments, a ticket with its documents, or a customer."""
    there = found.thing(selection.home, key)
    with st.container(border=True):
        with st.container(horizontal=True, horizontal_alignment="distribute"):
            st.subheader(_title(there) if there else _("It is not there any more."))
            if st.button(_("Close"), key="close"):
                open_thing("")
        if there is not None:
            _facts(selection, there)
            _belongings(selection, there)


def _title(there: Thing) -> str:
    facts = there.facts
    number = facts.get("document_number") or facts.get("ticket_ref") or facts.get("ref") or ""
    kind = word(there.key.kind)
    return f"{kind[:1].upper()}{kind[1:]} {number}".strip()


_FACTS = (
    ("customer_name", Text("Customer"), "text"),
    ("name", Text("Customer"), "text"),
    ("company", Text("Company"), "text"),
    ("mobile", Text("Telephone"), "text"),
    ("email", Text("E-mail"), "text"),
    ("created_day", Text("Day"), "day"),
    ("opened_day", Text("Opened on"), "day"),
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
        return formats.day(value)
    return word(value) if kind == "word" else str(value).replace("|", " ")


def _belongings(selection: Selection, there: Thing) -> None:
    if there.lines:
        st.caption(_("Lines"))
        selection.table(
            there.lines,
            [
                Col("item", _("Item")),
                Col("code", _("Code")),
                Col("kind", _("Kind"), "word"),
                Col("quantity", _("Quantity"), "number"),
                Col("price", _("Price"), "money"),
                Col("discount", _("Discount"), "money"),
                Col("tax", _("Tax"), "money"),
                Col("total", _("Total"), "money"),
            ],
        )
    if there.documents:
        st.caption(_("Documents"))
        selection.table(
            there.documents,
            [
                Col("day", _("Day"), "day"),
                Col("kind", _("Kind"), "word"),
                Col("number", _("Number")),
                Col("gross", _("Gross"), "money"),
                Col("paid", _("Paid"), "money"),
                Col("due", _("Still due"), "money"),
                Col("status", _("Status"), "word"),
            ],
            "its-documents",
            document_key,
        )
    if there.tickets:
        st.caption(_("Tickets"))
        selection.table(
            there.tickets,
            [
                Col("number", _("Number")),
                Col("day", _("Opened on"), "day"),
                Col("device", _("Device")),
                Col("status", _("Status")),
                Col("technician", _("Technician")),
                Col("due", _("Still due"), "money"),
            ],
            "its-tickets",
            lambda row: Key(row["shop"], "ticket", row["id"]),
        )
    st.caption(_("Payments"))
    if not there.payments:
        st.text(_("No payments."))
        return
    selection.table(
        there.payments,
        [
            Col("day", _("Day"), "day"),
            Col("amount", _("Amount"), "money"),
            Col("kind", _("Kind"), "word"),
            Col("method", _("Paid with")),
            Col("note", _("Note")),
        ],
    )
