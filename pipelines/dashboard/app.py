"""The page itself; Streamlit runs this file from top to bottom for every visitor and click."""

from collections.abc import Mapping
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from pipelines.dashboard import parts, search, view
from pipelines.dashboard.access import sees_margins
from pipelines.dashboard.asked import signature
from pipelines.dashboard.plain import plain
from pipelines.dashboard.search import Key
from pipelines.dashboard.table import OPEN, open_thing
from pipelines.dashboard.view import Selection
from pipelines.language import MINUS, _, current, shown, switch, use
from pipelines.language.display import DisplaySettings
from pipelines.monitor.severity import Severity
from pipelines.publish.errors import NothingPublished
from pipelines.report import formats
from pipelines.report.closing import NO_SHOP, closing_report, shop_title
from pipelines.report.figures import ReportError
from pipelines.report.periods import Period
from pipelines.report.render import content
from pipelines.report.trust import LOOKS
from pipelines.settings import SettingsError, home_folder

_RELOAD_SECONDS = 5
# What the page's address need not say; the shops (all) beside. Streamlit's own binding of widgets
# would write labels, which differ from language to language.
_DEFAULTS = {
    "period": "day", "against": "before", "part": "sales", "by": "product", "q": "", OPEN: "",
}  # fmt: skip


def main() -> None:
    """Draw the page."""
    st.set_page_config(page_title="shopmirror", layout="wide")
    try:
        display = DisplaySettings.load()
        switch(display.to_language())
        logo = display.picture
        home = home_folder()
        st.html(Path(__file__).with_suffix(".css"))
        if logo is not None:
            st.logo(logo, size="large")
        _watch(home)
        _page(home)
    except SettingsError as error:
        st.error(plain(str(error)))
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
    known = view.shops(home)
    if not known:
        raise ReportError(NO_SHOP)
    _read_address(tuple(known))
    names = tuple(st.session_state["shops"] or known)
    looked = view.selection(
        home, names, st.session_state["period"], st.session_state["against"],
        sees_margins=sees_margins(st.context.headers),
    )  # fmt: skip
    head = st.container()
    _filters(list(known), looked)
    adds_up = len({known[name]["currency"] for name in looked.names}) == 1
    # Above the choices, so that a phone's first screen has the figures.
    with head:
        _head(looked)
        for line in looked.trust.cautions:
            tell = st.error if line.severity is Severity.FAULT else st.warning
            tell(plain(line.shown))
        if adds_up:
            _numbers(looked)
    if not adds_up:
        st.warning(
            _("These shops use several currencies, which do not add up: choose those of one.")
        )
        _write_address()
        return
    st.text_input(
        _("Search"), key="q", placeholder=_("Customer, ticket or invoice"), icon=":material/search:"
    )
    if st.session_state["q"].strip():
        search.results(looked, st.session_state["q"])
    _part(looked)
    opened = st.session_state[OPEN]
    key = Key.read(opened)
    if opened.startswith(parts.PART_KEY):
        parts.part_drawer(looked, opened)
    elif key is not None and key.shop in looked.names:
        search.drawer(looked, key)
    _write_address()


def _part(looked: Selection) -> None:
    state = st.session_state
    own = {code: part for code, part in parts.PARTS.items() if not part.is_technical}
    state["tab"] = state["part"] if state["part"] in own else None
    st.segmented_control(
        _("Part of the page"), list(own), key="tab",
        format_func=lambda code: shown(own[code].label),
        on_change=lambda: state.update(part=state["tab"] or state["part"]),
        label_visibility="collapsed",
    )  # fmt: skip
    parts.PARTS[state["part"]].draw(looked)
    st.divider()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(_("For whoever looks after the mirror:"), width="content")
        for code in [code for code in parts.PARTS if code not in own]:
            st.button(
                shown(parts.PARTS[code].label), key=f"part-{code}", type="tertiary",
                on_click=state.update, kwargs={"part": code},
            )  # fmt: skip


def _read_address(names: tuple[str, ...]) -> None:
    """Take what the page's address says, at first and when it was changed there."""
    said = {name: ",".join(st.query_params.get_all(name)) for name in st.query_params}
    state = st.session_state
    # A browser sends its old address with what is chosen before the new one has come.
    is_news = said != state.get("address") == _chosen()
    # Streamlit forgets what widgets hold that were not drawn, as when nothing could be read.
    if is_news or "period" not in state:
        choices: dict[str, Mapping[str, object]] = {
            "against": view.AGAINST,
            "part": parts.PARTS,
            "by": parts.BY,
        }
        for name, default in _DEFAULTS.items():
            value = said.get(name, default)
            state[name] = value if value in choices.get(name, {value: ""}) else default
        wanted = said.get("shops", "").split(",")
        state["shops"] = [name for name in names if name in wanted]
        open_thing(state[OPEN])
        state["address"] = said
    for name, default in _DEFAULTS.items():
        state[name] = state.get(name, default)
    state["shops"] = state.get("shops", [])


def _write_address() -> None:
    """Let the page's address say what is looked at."""
    said = _chosen()
    if st.session_state["address"] != said:
        st.query_params.from_dict(said)
        st.session_state["address"] = said


def _chosen() -> dict[str, str]:
    """What is looked at, as the page's address says it."""
    state = st.session_state
    now = {name: state.get(name, default) for name, default in _DEFAULTS.items()}
    now["shops"] = ",".join(state.get("shops", []))
    return {name: value for name, value in now.items() if value != _DEFAULTS.get(name, "")}


def _filters(known: list[str], looked: Selection) -> None:
    """Shops, period and comparison, on the page itself."""
    state = st.session_state
    codes = view.periods(looked.days, state["period"])
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        if len(known) > 1:
            st.multiselect(_("Shops"), known, key="shops", placeholder=_("All shops"), width=260)
        st.selectbox(
            _("Period"), codes, format_func=view.period_name, key="period", width=200,
        )  # fmt: skip
        if state["period"] == view.RANGE or looked.period.kind == "range":
            # Its key is the period's: between the first click and the second it holds one day.
            key = f"days-{looked.period.label}"
            st.date_input(
                _("Days"), (looked.period.first, looked.period.last), key=key, width=240,
                format=view.day_picker(), on_change=_pick_days, args=(key,),
            )  # fmt: skip
        st.selectbox(
            _("Compared with"), list(view.AGAINST), key="against", width=200,
            format_func=lambda code: shown(view.AGAINST[code]),
        )  # fmt: skip
        with st.popover(_("Download"), icon=":material/download:"):
            for suffix, label in ((".pdf", "PDF"), (".xlsx", "Excel")):
                st.download_button(
                    label, partial(_report, looked, suffix), key=f"get{suffix}",
                    file_name=f"closing-{looked.period.label}{suffix}", on_click="ignore",
                )  # fmt: skip


def _pick_days(key: str) -> None:
    days = st.session_state[key]
    if isinstance(days, tuple) and len(days) == 2:
        chosen = Period(kind="range", first=days[0], last=days[1])
        st.session_state["period"] = chosen.label


def _report(looked: Selection, suffix: str) -> bytes:
    """The closing report of what is looked at."""
    extras: Any = ("tax", "margin", "expenses") if looked.sees_margins else ("tax",)
    with use(DisplaySettings.load().to_language()):
        made = closing_report(looked.home, shop=looked.names, period=looked.period, extras=extras)
        return content(made if looked.sees_margins else made.without_purchases(), suffix)


def _head(looked: Selection) -> None:
    st.title(plain(shown(shop_title(looked.names))))
    seal = looked.trust.seal
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{plain(looked.period.said)}**", width="content")
        look = LOOKS[seal.state]
        st.badge(f"{shown(look.title)} {shown(seal.detail)}", color=look.badge)
        st.caption(plain(" ".join(formats.as_of(looked.trust, looked.zone))), width="content")


def _numbers(looked: Selection) -> None:
    now, beside = looked.view.now.figures, looked.view.before
    figures = [
        (_("Sold"), "sold", "normal"),
        (_("Money taken"), "taken", "normal"),
        (_("Margin"), "margin", "normal"),
        (_("Still due"), "due", "inverse"),
        (_("Tickets opened"), "tickets_opened", "off"),
        (_("Tickets closed"), "tickets_closed", "normal"),
        (_("Open tickets"), "tickets_open", "inverse"),
    ]
    with st.container(horizontal=True, gap="small"):
        for label, name, colour in figures:
            if name == "margin" and not looked.sees_margins:
                continue
            amount = getattr(now, name)
            is_money = isinstance(amount, Decimal)
            text = formats.money(amount, looked.unit) if is_money else formats.whole(amount)
            change = formats.change(amount, getattr(beside.figures, name) if beside else None)
            share = formats.share(change)
            is_same = change is None or share.startswith("\u00b1")
            st.metric(
                label,
                text,
                # Streamlit tells less from more by a hyphen.
                share.replace(MINUS, "-"),
                delta_color="off" if is_same else colour,  # type: ignore[arg-type]  # a literal of its stub
                delta_arrow="off" if is_same else "auto",
                width=150,
            )
    notes = []
    if looked.unit and not current().sign_of(looked.unit):
        notes.append(_("amounts in {currency}", currency=plain(looked.unit)))
    if beside is not None:
        notes.append(_("change against {days}", days=beside.period.said))
        if beside.so_far:
            notes.append(_("up to {time}, as far as today has come", time=beside.so_far))
    if notes:
        st.caption(" \u00b7 ".join(notes))
    for note in looked.notes:
        st.caption(plain(shown(note)))


main()
