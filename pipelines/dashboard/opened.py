"""What was looked for, and the one document, ticket or customer that is open."""

from typing import Any

import streamlit as st

from pipelines.dashboard import found
from pipelines.dashboard.found import Key, Thing
from pipelines.dashboard.plain import plain
from pipelines.dashboard.sections import Selection, document_key
from pipelines.dashboard.table import open_thing
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
        "shop kind number customer day amount",
        "found",
        lambda row: Key(row["shop"], row["kind"], row["id"]),
    )


def thing(selection: Selection, key: Key) -> None:
    """One document with its lines and payments, a ticket with its documents, or a customer."""
    there = found.thing(selection.home, key)
    with st.container(border=True):
        with st.container(horizontal=True, horizontal_alignment="distribute"):
            st.subheader(plain(_title(there)) if there else _("It is not there any more."))
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
        selection.table(there.lines, "item code kind quantity price discount tax total")
    if there.documents:
        st.caption(_("Documents"))
        columns = "day kind number gross paid due status"
        selection.table(there.documents, columns, "its-documents", document_key)
    if there.tickets:
        st.caption(_("Tickets"))
        selection.table(
            there.tickets,
            "number opened_on device state technician due",
            "its-tickets",
            lambda row: Key(row["shop"], "ticket", row["id"]),
        )
    st.caption(_("Payments"))
    if not there.payments:
        st.text(_("No payments."))
        return
    selection.table(there.payments, "day amount kind method note")
