"""Tables of the page: headings and cells in words, numbers that sort as numbers.

A wide screen gets a table, a phone a card for each row with its amount in sight. A click on a row
opens what it is about.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from pipelines.dashboard import asked
from pipelines.dashboard.plain import plain
from pipelines.dashboard.view import Selection
from pipelines.language import Text, _, current, shown
from pipelines.language.words import word
from pipelines.publish.published import Rows
from pipelines.report import formats

OPEN = "open"
"""The state that names what is open."""
_TABLES = "tables"
"""The state that names the tables it was opened from."""
_HEADS = ("customer", "name", "item", "method", "report", "number", "period", "month")
"""What a card is headed by: the first of these that the row has."""
_ARROW = "\u2192"
"""A button of each row that opens it; Streamlit leaves buttons out of the CSV."""
_CARDS = 40
"""Rows that a phone shows."""


class Col(NamedTuple):
    """A column: the rows' key, its heading, and what it holds.

    ``kind`` is one of :func:`~pipelines.report.formats.written`, a ``word`` (a code) or a
    ``moment``; a ``share`` is drawn as a bar.
    """

    name: str
    heading: str
    kind: str = "text"


_KINDS = {
    "text": {
        "category": Text("Category"), "code": Text("Code"), "command": Text("Command"),
        "customer": Text("Customer"), "device": Text("Device"), "item": Text("Item"),
        "list": Text("List"), "message": Text("Message"), "method": Text("Paid with"),
        "name": Text("Name"), "note": Text("Note"), "number": Text("Number"),
        "period": Text("Period"), "report": Text("Report"), "shop": Text("Shop"),
        "source": Text("Source"), "supplier": Text("Supplier"), "technician": Text("Technician"),
    },
    "word": {
        "is_late": Text("Late"), "kind": Text("Kind"), "matches": Text("Agree"),
        "outcome": Text("Outcome"), "status": Text("Status"),
    },
    "money": {
        "amount": Text("Amount"), "before": Text("Before"), "difference": Text("Difference"),
        "discount": Text("Discount"), "due": Text("Still due"), "gross": Text("Gross"),
        "lifetime": Text("Bought so far"), "margin": Text("Margin"), "ours": Text("Ours"),
        "paid": Text("Paid"), "price": Text("Price"), "sold": Text("Sold"), "tax": Text("Tax"),
        "theirs": Text("Service"), "total": Text("Total"), "value": Text("Value at cost"),
    },
    "number": {
        "age": Text("Days"), "alert": Text("Warn at"), "closed": Text("Closed"),
        "count": Text("How many"), "cover": Text("Days of cover"), "documents": Text("Documents"),
        "doubted": Text("In doubt"), "lost": Text("Lost"), "new": Text("New"),
        "on_order": Text("On order"), "open_at_end": Text("Open"), "opened": Text("Opened"),
        "payments": Text("Payments"), "proven": Text("Parts proven"),
        "quantity": Text("Quantity"), "reorder": Text("Order"), "requests": Text("Requests"),
        "returning": Text("Returning"), "rows": Text("Rows"), "sold_90": Text("Sold in 90 days"),
        "visits": Text("Visits"), "won": Text("Won"),
    },
    "hours": {"median_hours": Text("Median")},
    "day": {"day": Text("Day"), "last_sold": Text("Last sold"), "promised": Text("Promised")},
    "month": {"month": Text("Month")},
    "moment": {
        "checked": Text("Checked"), "ended_at": Text("Ended"), "started_at": Text("Began"),
    },
    "change": {"change": Text("Change")},
    "share": {"share": Text("Share")},
}  # fmt: skip
COLUMNS: Mapping[str, Col] = {
    name: Col(name, heading, kind)
    for kind, names in _KINDS.items()
    for name, heading in names.items()
}
"""Columns of the page's tables."""


_MARGINS = ("margin", "value")
"""Columns that staff do not see."""
Opens = Callable[[dict[str, Any]], object]


class Listing(NamedTuple):
    """A table of the page: what it is called, what it shows, and the rows it asks for.

    ``columns`` are names of :data:`COLUMNS`, ``sql`` may name ``$shops``, ``$first``, ``$last``.
    ``opens`` gives the key of the thing that choosing a row opens. ``headings`` are other ones for
    some columns, ``blanks`` what is said where a text is missing, ``none`` what of no rows at all.
    """

    name: str
    columns: str
    title: str = ""
    note: str = ""
    sql: str = ""
    opens: Opens | None = None
    headings: Mapping[str, str] = {}
    blanks: Mapping[str, str] = {}
    none: str = Text("Nothing to show.")

    def ask(self, selection: Selection, **values: Any) -> Rows:
        """Its rows of the period; ``values`` are further ones that ``sql`` names."""
        return asked.rows(selection.home, self.sql, selection.names, selection.dates | values)


def draw(selection: Selection, listing: Listing, rows: Rows | None = None) -> None:
    """Draw a table, of ``rows`` or of those it asks for.

    Columns without anything in them are left out, and the shop's where there is one alone. Texts
    are made safe for spreadsheets, since every table can be downloaded as CSV.
    """
    if listing.title:
        st.subheader(shown(listing.title))
    if listing.note:
        st.caption(shown(listing.note))
    if rows is None:
        rows = listing.ask(selection)
    if not rows:
        st.caption(shown(listing.none))
        return
    blanks = {name: shown(word) for name, word in listing.blanks.items()}
    rows = [row | {name: row[name] or word for name, word in blanks.items()} for row in rows]
    hidden = set() if selection.sees_margins else set(_MARGINS)
    hidden |= {"shop"} if len(selection.names) == 1 else set()
    filled = [
        column._replace(heading=shown(listing.headings.get(column.name, column.heading)))
        for column in (COLUMNS[name] for name in listing.columns.split() if name not in hidden)
        if any(row.get(column.name) not in (None, "") for row in rows)
    ]
    if is_phone():
        _cards(selection, rows[:_CARDS], filled, listing)
    else:
        _wide(selection, rows, filled, listing)
    many = int(rows[0].get("of") or len(rows))
    there = min(len(rows), _CARDS) if is_phone() else len(rows)
    if there < many:
        st.caption(_("{n} of {all} are shown.", n=there, all=many))


def is_phone() -> bool:
    """Whether the visitor's browser says that it is one of a phone."""
    return "Mobi" in st.context.headers.get("User-Agent", "")


def open_thing(key: object, table: str = "") -> None:
    """Open a document, ticket, customer or part by a cell of ``table``; empty: close what is open.

    The cell stays chosen until then: a table without one chooses its first when it gets the focus.
    """
    state = st.session_state
    state[OPEN] = str(key)
    tables = state.setdefault(_TABLES, set()) | ({table} if table else set())
    state[_TABLES] = tables if key else set()
    for name in tables - state[_TABLES]:
        state[name] = {"selection": {"rows": [], "columns": [], "cells": []}}


def window(title: str, drawn: Callable[[], None]) -> None:
    """A window before the page; closing it closes what is open."""
    opened = st.session_state[OPEN]

    def body() -> None:
        if st.session_state[OPEN] != opened:
            # Streamlit runs a window alone, when something in it was clicked.
            st.rerun()
        drawn()

    st.dialog(plain(title), width="large", on_dismiss=lambda: open_thing(""))(body)()


def _wide(selection: Selection, rows: Rows, columns: Sequence[Col], listing: Listing) -> None:
    opens, state = listing.opens, st.session_state
    frame = pd.DataFrame(
        {c.heading: [_value(row.get(c.name), c.kind) for row in rows] for c in columns}
    )
    for heading in (c.heading for c in columns if c.kind == "share"):
        frame[heading] *= 100
    config: dict[str, Any] = {
        c.heading: st.column_config.ProgressColumn(
            format="%.0f %%", max_value=max(float(frame[c.heading].max()), 0.1)
        )
        for c in columns
        if c.kind == "share"
    }
    more: dict[str, Any] = {}
    if opens is not None:
        key = listing.name

        def chosen() -> None:
            cells = state[key]["selection"]["cells"]
            # Streamlit chooses the first column for who sorts, or comes by keyboard.
            if cells and cells[0][1] != _ARROW:
                open_thing(opens(rows[cells[0][0]]), key)

        frame.insert(0, _ARROW, _ARROW)
        config[_ARROW] = st.column_config.ButtonColumn(
            "", width=40, pinned=True, type="tertiary", key=f"{key}-{_ARROW}",
            on_click=lambda: open_thing(opens(rows[state[f"{key}-{_ARROW}"]["row"]])),
        )  # fmt: skip
        more = {"key": key, "on_select": chosen, "selection_mode": "single-cell"}
    st.dataframe(
        frame.style.format({c.heading: partial(_written, selection, c) for c in columns}),
        hide_index=True, width="stretch", placeholder=formats.NONE, column_config=config,
        alt=shown(listing.title or listing.note) or ", ".join(c.heading for c in columns), **more,
    )  # fmt: skip


def _cards(selection: Selection, rows: Rows, columns: Sequence[Col], listing: Listing) -> None:
    """A card a row: what it is, its amount beside, the rest below."""
    # Of a line the total, not the price of one piece.
    amounts = (c for c in columns if c.kind == "money")
    money = min(amounts, key=lambda c: c.name != "total", default=None)
    first = [c for name in _HEADS for c in columns if c.name == name]
    for place, row in enumerate(rows):
        told = {
            c.name: _written(selection, c, _value(row[c.name], c.kind))
            if row.get(c.name) is not None
            else ""
            for c in columns
        }
        fitting = (c for c in (*first, *columns) if told[c.name] and c is not money)
        head = next(fitting, None)
        # Words and days say by themselves what they are; a bare number does not.
        others = [
            told[c.name]
            if c.kind in ("text", "word", "day", "month")
            else f"{c.heading} {told[c.name]}"
            for c in columns
            if told[c.name] and c not in (money, head)
        ]
        with st.container(border=True, gap=None):
            with st.container(
                horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
            ):
                title = plain(told[head.name] if head else "") or formats.NONE
                if listing.opens is None:
                    st.markdown(title, width="content")
                else:
                    st.button(
                        title, key=f"{listing.name}-card-{place}", type="tertiary",
                        on_click=open_thing, args=(listing.opens(row),),
                    )  # fmt: skip
                if money is not None:
                    st.markdown(f"**{plain(told[money.name] or formats.NONE)}**", width="content")
            st.caption(plain(" \u00b7 ".join(others)))


def _value(value: Any, kind: str) -> Any:
    if kind == "word":
        return formats.cell(word(value))
    if kind == "text":
        return "" if value is None else formats.cell(str(value))
    return value if value is None or kind in ("moment", "day", "month") else float(value)


def _written(selection: Selection, column: Col, value: Any) -> str:
    if column.kind not in ("text", "word") and pd.isna(value):
        return formats.NONE
    if column.kind == "moment":
        local = value.astimezone(selection.zone)
        return f"{current().day(local)} {local:%H:%M}"
    exact = Decimal(str(value)) if isinstance(value, float) else value
    return formats.written(exact, column.kind, selection.unit)
