"""Tables of the page: headings and cells in words, numbers that sort as numbers."""

from collections.abc import Callable, Sequence
from datetime import datetime, tzinfo
from decimal import Decimal
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from pipelines.dashboard.words import word
from pipelines.language import _
from pipelines.report import formats

_OPENED, _TURN = "open", "turn"


class Col(NamedTuple):
    """A column: the rows' key, its heading, and what it holds.

    ``kind`` is ``text``, ``ours`` (a text of our own), ``word`` (a code), ``money``, ``number``,
    ``hours``, ``day`` or ``moment``.
    """

    name: str
    heading: str
    kind: str = "text"


def table(
    rows: Sequence[dict[str, Any]],
    columns: Sequence[Col],
    *,
    unit: str = "",
    zone: tzinfo | None = None,
    name: str = "",
    opens: Callable[[dict[str, Any]], object] | None = None,
) -> None:
    """Draw ``rows``; columns without anything in them are left out.

    ``opens`` gives the key of the thing that choosing a row opens; ``name`` tells tables apart.
    Every table can be downloaded as CSV, so texts are made safe for spreadsheets.
    """
    if not rows:
        st.caption(_("Nothing to show."))
        return
    filled = [c for c in columns if any(row.get(c.name) not in (None, "") for row in rows)]
    frame = pd.DataFrame(
        {c.heading: [_value(row.get(c.name), c.kind) for row in rows] for c in filled}
    )
    shown = frame.style.format({c.heading: _written(c.kind, unit, zone) for c in filled})
    more: dict[str, Any] = {}
    if opens is not None:
        more = {
            "key": f"{name}-{st.session_state.get(_TURN, 0)}",
            "on_select": "rerun",
            "selection_mode": "single-row",
        }
    event = st.dataframe(shown, hide_index=True, width="stretch", placeholder=formats.NONE, **more)
    if opens is not None and event.selection.rows:
        open_thing(opens(rows[event.selection.rows[0]]))
    if len(rows) < int(rows[0].get("of") or 0):
        st.caption(_("{n} of {all} are shown.", n=len(rows), all=int(rows[0]["of"])))


def open_thing(key: object) -> None:
    """Open a document, ticket or customer at the top of the page; empty: close it."""
    st.session_state[_OPENED] = str(key)
    # A new key, so that the table forgets which row was chosen.
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
    st.rerun()


def _value(value: Any, kind: str) -> Any:
    if kind == "word":
        return formats.cell(word(value))
    if kind == "text":
        return "" if value is None else formats.cell(str(value))
    if value is None or kind in ("ours", "moment"):
        return value
    return pd.Timestamp(value) if kind == "day" else float(value)


def _written(kind: str, unit: str, zone: tzinfo | None) -> Callable[[Any], str]:
    if kind in ("text", "word", "ours"):
        return str
    ways: dict[str, Callable[[Any], str]] = {
        "money": lambda value: formats.money(Decimal(str(value)), unit),
        "number": lambda value: formats.number(Decimal(str(value))),
        "hours": formats.hours,
        "day": formats.day,
        "moment": lambda value: clock(value, zone),
    }
    return lambda value: formats.NONE if pd.isna(value) else ways[kind](value)


def clock(value: datetime, zone: tzinfo | None) -> str:
    """A moment on the shop's clock, to the minute."""
    local = value.astimezone(zone)
    return f"{formats.day(local)} {local:%H:%M}"
