"""The page itself; Streamlit runs this file from top to bottom for every visitor and click."""

from datetime import date
from decimal import Decimal
from operator import attrgetter
from pathlib import Path
from typing import Literal

import streamlit as st

from pipelines.dashboard import filters, mirror, opened, sections
from pipelines.dashboard import view as data
from pipelines.dashboard.asking import signature
from pipelines.dashboard.found import Key
from pipelines.dashboard.plain import plain
from pipelines.dashboard.sections import Selection
from pipelines.language import MINUS, Text, _, current, shown, switch
from pipelines.language.display import load_display
from pipelines.monitor.severity import Severity
from pipelines.publish.errors import NothingPublished
from pipelines.report import formats
from pipelines.report.closing import NO_SHOP, zone_of
from pipelines.report.figures import ReportError, SealState
from pipelines.report.sheet import TITLES, compared
from pipelines.settings import SettingsError, home_folder

_RELOAD_SECONDS = 5
_SEAL_COLOURS: dict[SealState, Literal["green", "red", "orange", "gray"]] = {
    SealState.AGREES: "green",
    SealState.DIFFERS: "red",
    SealState.IN_DOUBT: "orange",
    SealState.UNKNOWN: "gray",
}
_PARTS = {
    "sales": (Text("Sales"), sections.sales),
    "breakdown": (Text("Breakdown"), sections.breakdown),
    "tickets": (Text("Tickets"), sections.tickets),
    "due": (Text("Still due"), sections.due),
    "books": (Text("Books"), sections.books),
    "mirror": (Text("Mirror"), mirror.mirror),
}


def main() -> None:
    """Draw the page."""
    st.set_page_config(page_title="shopmirror", layout="wide")
    try:
        display = load_display()
        switch(display.to_language())
        logo = display.picture
    except SettingsError as error:
        st.error(plain(str(error)))
        return
    st.html(Path(__file__).with_suffix(".css"))
    if logo is not None:
        st.logo(logo, size="large")
    home = home_folder()
    try:
        _watch(home)
        _page(home)
    except (NothingPublished, ReportError) as error:
        st.title("shopmirror")
        st.info(plain(shown(error.args[0])))
        st.caption(_("This page looks again by itself."))


def _watch(home: Path) -> None:
    """Draw the page anew once a sync has published."""
    seen = signature(home)

    @st.fragment(run_every=_RELOAD_SECONDS)
    def reload() -> None:
        if signature(home) != seen:
            st.rerun()

    reload()


def _page(home: Path) -> None:
    known = data.shops(home)
    if not known.names:
        raise ReportError(NO_SHOP)
    _read_address(known)
    selection = _filters(home, known)
    currencies = {known.currencies[name] for name in selection.names}
    if len(currencies) > 1:
        st.warning(
            _("These shops use several currencies, which do not add up: choose those of one.")
        )
        return
    found = data.view(
        home, selection.names, selection.first, selection.last, st.session_state["against"]
    )
    _head(found, selection)
    for line in found.cautions:
        tell = st.error if line.severity is Severity.FAULT else st.warning
        tell(plain(line.shown))
    _numbers(found, selection.unit)
    st.text_input(
        _("Search"), key="q", placeholder=_("Customer, ticket or invoice"), icon=":material/search:"
    )
    key = Key.read(st.session_state["open"])
    if key is not None and key.shop in selection.names:
        opened.thing(selection, key)
    if st.session_state["q"].strip():
        opened.search(selection, st.session_state["q"])
    part = st.segmented_control(
        _("Part of the page"),
        list(_PARTS),
        format_func=lambda code: shown(_PARTS[code][0]),
        key="part",
        required=True,
        label_visibility="collapsed",
    )
    _write_address()
    _PARTS[part or "sales"][1](selection, found)


# What the page's address need not say; shops (all) and days beside. (No text below it: Streamlit
# would show that.)
_DEFAULTS = {
    "period": "day", "against": "before", "part": "sales", "by": "product", "q": "", "open": "",
}  # fmt: skip


def _read_address(known: data.Shops) -> None:
    """Take what the page's address says, at first and when it was changed there."""
    said = {name: ",".join(st.query_params.get_all(name)) for name in st.query_params}
    state = st.session_state
    if state.get("address") == said:
        return
    choices = {
        "period": filters.periods(known.calendar),
        "against": list(filters.AGAINST),
        "part": list(_PARTS),
        "by": list(sections.BY),
    }
    for name, default in _DEFAULTS.items():
        value = said.get(name, default)
        state[name] = value if value in choices.get(name, [value]) else default
    state["shops"] = filters.known(said.get("shops", "").split(","), known.names)
    state["days"] = filters.read_range(said, known.calendar)
    state["address"] = said


def _write_address() -> None:
    """Let the page's address say what is looked at."""
    state = st.session_state
    said = {name: state[name] for name, value in _DEFAULTS.items() if state[name] != value}
    if state["shops"]:
        said["shops"] = ",".join(state["shops"])
    if state["period"] == filters.CUSTOM and len(state["days"]) == 2:
        said |= {"from": str(state["days"][0]), "to": str(state["days"][1])}
    if state["address"] != said:
        st.query_params.from_dict(said)
        state["address"] = said


def _filters(home: Path, known: data.Shops) -> Selection:
    with st.sidebar:
        if len(known.names) > 1:
            st.multiselect(_("Shops"), known.names, key="shops", placeholder=_("All shops"))
        code = st.selectbox(
            _("Period"),
            filters.periods(known.calendar),
            format_func=filters.period_name,
            key="period",
        )
        first, last = filters.days_of(code, known.calendar)
        if code == filters.CUSTOM:
            days = st.date_input(_("Days"), key="days", format=_picker())
            # While only the first day is chosen, it is one day.
            first, last = (days[0], days[-1]) if isinstance(days, tuple) and days else (first, last)
        st.selectbox(
            _("Compared with"),
            list(filters.AGAINST),
            format_func=lambda code: shown(filters.AGAINST[code]),
            key="against",
        )
    names = tuple(st.session_state["shops"] or known.names)
    return Selection(home, names, first, last, known.currencies[names[0]], known.zones[names[0]])


def _picker() -> str:
    """The pattern of days that the picker knows and is nearest to the language's."""
    pattern = current().dates.upper() or "YYYY-MM-DD"
    order = [part for part in ("YYYY/MM/DD", "DD/MM/YYYY", "MM/DD/YYYY") if part[0] == pattern[0]]
    mark = next((mark for mark in "/-." if mark in pattern), "-")
    return (order or ["YYYY/MM/DD"])[0].replace("/", mark)


def _head(found: data.View, selection: Selection) -> None:
    names = selection.names
    st.title(plain(names[0]) if len(names) == 1 else _("{n} shops", n=len(names)))
    seal = found.seal
    when = _("an unknown time")
    if found.as_of is not None and found.as_of.tzinfo is not None:
        when = formats.moment(found.as_of, found.as_of.tzinfo)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{_span(selection.first, selection.last)}**", width="content")
        st.badge(
            f"{shown(TITLES[seal.state])} {compared(seal)}",
            color=_SEAL_COLOURS[seal.state],
        )
        said = [_("Mirror as of {moment}.", moment=when)]
        said += formats.source(found.source, found.given, zone_of(selection.zone_name))
        st.caption(" ".join(said), width="content")


def _span(first: date, last: date) -> str:
    if first == last:
        return f"{current().weekday(first)} {formats.day(first)}"
    return f"{formats.day(first)} \u2013 {formats.day(last)}"


def _numbers(found: data.View, unit: str) -> None:
    now, before = found.now, found.before
    with st.container(horizontal=True, gap="small"):
        for label, figure, colour in (
            (_("Sold"), attrgetter("sold.total"), "normal"),
            (_("Money taken"), attrgetter("taken.total"), "normal"),
            (_("Still due"), attrgetter("due.total"), "inverse"),
            (_("Tickets opened"), attrgetter("workshop.opened"), "off"),
            (_("Tickets closed"), attrgetter("workshop.closed"), "normal"),
            (_("Open tickets"), attrgetter("workshop.open_at_end"), "inverse"),
        ):
            amount = figure(now)
            is_money = isinstance(amount, Decimal)
            text = formats.money(amount, unit, places=0) if is_money else formats.whole(amount)
            _number(label, text, Decimal(amount), figure(before) if before else None, colour)
    notes = []
    if unit and not current().sign_of(unit):
        notes.append(_("amounts in {currency}", currency=plain(unit)))
    if before is not None:
        days = _span(before.period.first, before.period.last)
        notes.append(_("change against {days}", days=days))
    if notes:
        st.caption(" \u00b7 ".join(notes))


def _number(label: str, text: str, now: Decimal, before: Decimal | int | None, colour: str) -> None:
    change = formats.change(now, None if before is None else Decimal(before))
    is_same = change.startswith("\u00b1")
    st.metric(
        label,
        text,
        # Streamlit tells less from more by a hyphen.
        None if change == formats.NONE else change.replace(MINUS, "-"),
        delta_color="off" if is_same else colour,  # type: ignore[arg-type]  # a literal of its stub
        delta_arrow="off" if is_same else "auto",
        width=138,
    )


main()
