"""Puts a closing report together: which period, what to compare it with, page by page."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pipelines.language import Text, _
from pipelines.publish.published import Published, Rows, published
from pipelines.report import figures
from pipelines.report.figures import (
    Calendar,
    Figures,
    Frozen,
    ReportError,
    Words,
)
from pipelines.report.periods import Period
from pipelines.report.trust import SealState, Trust, trust

NO_SHOP = Text("The warehouse holds no shop yet: run 'shopmirror sync' first.")
Extra = Literal["tax", "margin", "expenses"]
"""Figures that a report shows on request."""


class Column(Frozen):
    """The figures of one period; ``so_far`` is set where they stop at a time of day."""

    period: Period
    figures: Figures
    so_far: str = ""
    """``14:30``: of its last day only what had happened by then, as on the day that still runs."""


UNNAMED = "main"
"""What the only shop is called where the settings name none."""


class ShopLine(Frozen):
    """A shop's line in the report of a chain."""

    shop: str
    figures: Figures
    seal: SealState


class View(Frozen):
    """The figures of a period, beside those of others: what report and page have in common."""

    now: Column
    before: Column | None
    """The period before: of a day the last open one."""
    earlier: Column | None
    """A year before; of a day the same weekday four weeks back."""
    technicians: Rows
    months: Rows
    """Up to the last day looked at."""

    @property
    def running(self) -> date | None:
        """The last day, if it still runs and ``before`` is cut at its time of day."""
        return self.now.period.last if self.before and self.before.so_far else None


class Page(View, Trust):
    """One printed page: a shop, or the shops of a chain that share a currency."""

    title: Words
    shops: tuple[str, ...]
    currency: str
    """ISO code or sign as the settings give it; may be empty."""
    methods: Rows
    lines: tuple[ShopLine, ...] = ()
    notes: tuple[Words, ...] = ()


class Report(Frozen):
    """A closing report: a page for each currency of the shops."""

    period: Period
    pages: tuple[Page, ...]
    extras: tuple[Extra, ...] = ()
    """Which figures are shown besides those of every report."""
    made_at: datetime

    @property
    def seal(self) -> SealState:
        """The worst of the pages' seals."""
        return max((page.seal.state for page in self.pages), key=list(SealState).index)

    def without_purchases(self) -> "Report":
        """For staff: a difference of purchases is counted, and none of its amounts shown."""

        def page(whole: Page) -> Page:
            kept = [d for d in whole.seal.differences if not d["report"].endswith("purchases")]
            seal = whole.seal.model_copy(update={"differences": tuple(kept)})
            return whole.model_copy(update={"seal": seal})

        return self.model_copy(update={"pages": tuple(map(page, self.pages))})

    @property
    def title(self) -> str:
        """For the window, the PDF's properties and the mail's subject."""
        names = sorted({name for page in self.pages for name in page.shops})
        return _(
            "Closing report {period}: {shop}", period=self.period.shown, shop=shop_title(names)
        )


def shop_title(names: Sequence[str]) -> Words:
    """What a page calls its shops; a lone one without a name of its own is the reader's."""
    if len(names) > 1:
        return Text("{n} shops", n=len(names))
    return Text("Your shop") if names[0] == UNNAMED else names[0]


def closing_report(
    home: Path,
    *,
    shop: str | Sequence[str] | None = None,
    period: Period | None = None,
    now: datetime | None = None,
    extras: tuple[Extra, ...] = (),
) -> Report:
    """The closing report of a shop, of some, or of all of them, for a period.

    ``home`` is ``$SHOPMIRROR_HOME``. Without ``period`` it is the last open day: open, with
    business, and begun in every shop. ``now`` (with a zone) is for tests; ``extras`` names figures
    shown on request. Raises :class:`~pipelines.publish.errors.NothingPublished` without a
    warehouse, :class:`~pipelines.report.figures.ReportError` when the shop is unknown, or the
    period has not begun.
    """
    now = now or datetime.now(UTC)
    with published(home) as warehouse:
        known = figures.shops(warehouse)
        names = chosen_shops(known, shop)
        zones = {name: zone_of(known[name]["timezone"]) for name in names}
        today = max(now.astimezone(zone).date() for zone in zones.values())
        if period is not None and period.first > today:
            raise ReportError(f"{period.label} has not begun yet (today is {today}).")
        groups: dict[str, list[str]] = {}
        for name in names:
            groups.setdefault(known[name]["currency"], []).append(name)
        if period is None:
            period = Period.of("day", figures.calendar(warehouse, names, today).open_day)
        made_at = now.astimezone(zones[names[0]])

        def page(names: list[str], unit: str) -> Page:
            today = min(now.astimezone(zones[name]).date() for name in names)
            return _page(warehouse, names, unit, period, today, made_at)

        return Report(
            period=period,
            pages=tuple(page(group, unit) for unit, group in groups.items()),
            extras=extras,
            made_at=made_at,
        )


def zone_of(name: str) -> ZoneInfo:
    """The time zone called ``name``; UTC when this machine does not know it."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


def chosen_shops(known: Mapping[str, object], shop: str | Sequence[str] | None) -> list[str]:
    """The shops that were asked for, else all; :class:`ReportError` if one is not known."""
    if not known:
        raise ReportError(NO_SHOP)
    asked = [shop] if isinstance(shop, str) else list(shop or known)
    for name in asked:
        if name.lower() not in known:
            raise ReportError(
                f"There is no shop '{name}' in the warehouse. It has: {', '.join(known)}."
            )
    return [name.lower() for name in asked]


def view(
    warehouse: Published, names: list[str], period: Period, days: Calendar, bars: int = 13
) -> View:
    """A period's figures, those of the period before, and of the same a year before; the sales of
    so many months as ``bars``.

    A period that still runs ends at the mirror's last day and is set beside as many days; of the
    last of them only what had happened by the time of day of the build counts. A month that has
    fewer days is set beside it whole. None where the books had not begun: nothing to compare with
    is not a day without sales.
    """
    period = period.until(days.until)
    is_running = period.last == days.until
    so_far = figures.time_of_build(warehouse, names, days.until) if is_running else ""
    open_day = (
        figures.open_day_before(warehouse, names, period.first) if period.kind == "day" else None
    )

    def column(chosen: Period | None) -> Column | None:
        if chosen is None or chosen.last < days.begun:
            return None
        has_that_day = chosen.length == period.length or period.kind == "range"
        cut = so_far if has_that_day else ""
        found = figures.by_shop(warehouse, names, chosen, days.until, so_far=bool(cut))
        return Column(period=chosen, figures=found[None], so_far=cut)

    return View(
        now=Column(
            period=period, figures=figures.by_shop(warehouse, names, period, days.until)[None]
        ),
        before=column(period.previous(open_day, is_running=is_running)),
        earlier=column(period.year_before(is_running=is_running)),
        technicians=figures.technicians(warehouse, names, period, days.until),
        months=figures.months(warehouse, names, period.last, bars),
    )


def week_before(period: Period, days: Calendar) -> Period | None:
    """The same weekday of the week before, of a day that has one since the books began."""
    day = period.first - timedelta(days=7)
    return Period.of("day", day) if period.kind == "day" and day >= days.begun else None


def _page(
    warehouse: Published, names: list[str], unit: str, period: Period, today: date,
    made_at: datetime,
) -> Page:  # fmt: skip
    days = figures.calendar(warehouse, names, today)
    seen = view(warehouse, names, period, days)
    now = seen.now
    found = trust(warehouse, names, made_at)
    is_chain = len(names) > 1
    own = figures.by_shop(warehouse, names, now.period, days.until) if is_chain else {}
    return Page(
        title=shop_title(names),
        shops=tuple(names),
        currency=unit,
        **dict(seen),
        **dict(found),
        methods=figures.methods(
            warehouse, names, now.period, week_before(now.period, days), seen.running
        ),
        lines=tuple(
            ShopLine(shop=name, figures=own[name], seal=found.by_shop[name])
            for name in names
            if own
        ),
        notes=notes(warehouse, names, now, period, days, today),
    )  # fmt: skip


def notes(
    warehouse: Published, names: list[str], now: Column, period: Period, days: Calendar, today: date
) -> tuple[Words, ...]:
    """What a reader must know before trusting the figures."""
    found: list[Words] = []
    if now.period.last < days.begun:
        told = Text("The books begin at {day}: nothing is known of earlier days.", day=days.begun)
        found.append(told)
    # Not while that day is not over.
    if days.until <= period.last and days.until < max(today, period.first):
        found.append(
            Text(
                "The mirror ends at {day}, {time}: what came later is not in these figures yet.",
                day=days.until,
                time=figures.time_of_build(warehouse, names, days.until),
            )
        )
    if unread := now.figures.unreadable_payments:
        found.append(
            Text(
                "{n} payment(s) have an amount that could not be read; see ops.unreadable.",
                n=unread,
            )
        )
    if unknown := now.figures.unreadable_documents:
        found.append(
            Text(
                "{n} document(s) have no amount that could be read and are in no total; "
                "see ops.unreadable.",
                n=unknown,
            )
        )
    return tuple(found)
