"""Puts a closing report together: which period, what to compare it with, page by page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pipelines.language import Text
from pipelines.language.words import list_name
from pipelines.monitor import freshness
from pipelines.monitor.severity import Problem, worst
from pipelines.publish.published import Published, published
from pipelines.report import queries
from pipelines.report.figures import (
    Caution,
    Column,
    Extra,
    Page,
    Period,
    Report,
    ReportError,
    ShopLine,
)
from sources.repair_shop.schema.dates import month_earlier

NO_SHOP = Text("The warehouse holds no shop yet: run 'shopmirror sync' first.")
_SHOWN = 6
"""Lists in doubt that are named."""


def closing_report(
    home: Path,
    *,
    shop: str | None = None,
    day: date | None = None,
    month: date | None = None,
    now: datetime | None = None,
    extras: tuple[Extra, ...] = (),
) -> Report:
    """The closing report of a shop, or of all of them, for a day or a month.

    ``home`` is ``$SHOPMIRROR_HOME``. Without ``day`` and ``month`` it is the last open day the
    mirror has seen, in the shop's zone (of a chain, one that has begun in every shop); ``month``
    is any day of it; ``now`` (with a zone) is for tests; ``extras`` names figures shown on request.
    Raises :class:`~pipelines.publish.errors.NothingPublished` without a warehouse,
    :class:`~pipelines.report.figures.ReportError` when the shop is unknown, or the period has not
    begun.
    """
    if day is not None and month is not None:
        raise ReportError("Ask for a day or for a month, not for both.")
    now = now or datetime.now(UTC)
    with published(home) as warehouse:
        known = queries.shops(warehouse)
        names = chosen_shops(known, shop)
        zones = {name: zone_of(known[name]["timezone"]) for name in names}
        today = max(now.astimezone(zone).date() for zone in zones.values())
        period = _period(warehouse, names, day, month, today)
        currencies = {known[name]["currency"] for name in names}
        together = [names] if len(currencies) == 1 else [[name] for name in names]
        scope = _Scope(warehouse, period, today, now, freshness.runs_since(warehouse))
        pages = tuple(_page(scope, group, known) for group in together)
        as_of = freshness.as_of(warehouse, names)
        return Report(
            period=period,
            pages=pages,
            extras=extras,
            as_of=as_of and as_of.astimezone(zones[names[0]]),
            made_at=now.astimezone(zones[names[0]]),
            source=warehouse.server,
            given=freshness.given(warehouse),
        )


def zone_of(name: str) -> ZoneInfo:
    """The time zone called ``name``; UTC when this machine does not know it."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


def chosen_shops(known: Mapping[str, object], shop: str | None) -> list[str]:
    """The shop that was asked for, else all that are known; :class:`ReportError` if it is not."""
    if not known:
        raise ReportError(NO_SHOP)
    if shop is None:
        return list(known)
    if shop.lower() not in known:
        raise ReportError(
            f"There is no shop '{shop}' in the warehouse. It has: {', '.join(known)}."
        )
    return [shop.lower()]


def _period(
    warehouse: Published, shops: list[str], day: date | None, month: date | None, today: date
) -> Period:
    if month is not None:
        if month.replace(day=1) > today:
            raise ReportError(f"The month {month:%Y-%m} has not begun yet (today is {today}).")
        return Period.month_of(month)
    if day is not None:
        if day > today:
            raise ReportError(f"The day {day} has not begun yet (today is {today}).")
        return Period.of(day)
    until = queries.mirrored_until(warehouse, shops) or today
    return Period.of(queries.open_day(warehouse, shops, min(until, today)) or min(until, today))


def _compared_with(
    warehouse: Published, shops: list[str], period: Period
) -> tuple[Period | None, Period | None]:
    """The last open day before and the same weekday four weeks back; for a month its like.

    None where the books had not begun: nothing to compare with is not a day without sales.
    """
    if period.kind == "month":
        before: Period | None = Period.month_of(month_earlier(period.first, 1))
        earlier = Period.month_of(month_earlier(period.first, 12))
    else:
        open_day = queries.open_day(warehouse, shops, period.first - timedelta(days=1))
        before = None if open_day is None else Period.of(open_day)
        earlier = Period.of(period.first - timedelta(days=28))
    begun = queries.first_day(warehouse, shops) or date.max
    return (
        before if before is not None and before.last >= begun else None,
        earlier if earlier.last >= begun else None,
    )


def column(warehouse: Published, shops: Sequence[str], period: Period) -> Column:
    """All figures of some shops in a period."""
    return Column(
        period=period,
        taken=queries.taken(warehouse, shops, period),
        sold=queries.sold(warehouse, shops, period),
        due=queries.due(warehouse, shops, period.last),
        workshop=queries.workshop(warehouse, shops, period),
        expenses=queries.expenses(warehouse, shops, period),
    )


@dataclass(frozen=True)
class _Scope:
    """What all pages of a report are made of."""

    warehouse: Published
    period: Period
    today: date
    now: datetime
    runs: list[Problem]

    def problems(self, shops: list[str]) -> list[Problem]:
        """What keeps the figures of these shops from being relied on."""
        return freshness.problems(self.warehouse, shops, self.now, self.runs)


def _page(scope: _Scope, shops: list[str], known: dict[str, dict[str, Any]]) -> Page:
    warehouse, period = scope.warehouse, scope.period
    before, earlier = _compared_with(warehouse, shops, period)
    problems = scope.problems(shops)
    return Page(
        title=shops[0] if len(shops) == 1 else Text("{n} shops", n=len(shops)),
        shops=tuple(shops),
        currency=known[shops[0]]["currency"],
        now=column(warehouse, shops, period),
        before=None if before is None else column(warehouse, shops, before),
        earlier=None if earlier is None else column(warehouse, shops, earlier),
        methods=queries.methods(warehouse, shops, period),
        technicians=queries.technicians(warehouse, shops, period),
        months=queries.months(warehouse, shops, min(period.last, scope.today)),
        lines=_lines(scope, shops) if len(shops) > 1 else (),
        seal=queries.seal(warehouse, shops, scope.today, problems),
        cautions=cautions(problems, many_shops=len(shops) > 1),
        notes=_notes(warehouse, shops, period),
    )


def cautions(problems: Sequence[Problem], *, many_shops: bool) -> tuple[Caution, ...]:
    """The banner over the figures: a line for each problem, lists in doubt together in one."""
    lists = [problem for problem in problems if problem.resource]
    lines = [
        Caution(
            severity=problem.rule.severity,
            text=Text("{shop}: {text}", shop=problem.shop, text=problem.text)
            if many_shops and problem.shop
            else problem.text,
        )
        for problem in problems
        if not problem.resource
    ]
    if lists:
        pairs = sorted({(p.resource, p.shop if many_shops else "") for p in lists})
        names = [
            Text("{list} ({shop})", list=list_name(name), shop=shop) if shop else list_name(name)
            for name, shop in pairs[:_SHOWN]
        ]
        if len(pairs) > _SHOWN:
            names.append(Text("others"))
        text = Text("Not proven complete at the last sync: {lists}.", lists=names)
        lines.append(Caution(severity=worst(lists), text=text))
    return tuple(sorted(lines, key=lambda line: -line.severity))


def _lines(scope: _Scope, shops: list[str]) -> tuple[ShopLine, ...]:
    lines = []
    for name in shops:
        found = column(scope.warehouse, [name], scope.period)
        seal = queries.seal(scope.warehouse, [name], scope.today, scope.problems([name]))
        lines.append(
            ShopLine(
                shop=name,
                taken=found.taken.total,
                sold=found.sold.total,
                due=found.due.total,
                opened=found.workshop.opened,
                closed=found.workshop.closed,
                seal=seal.state,
            )
        )
    return tuple(lines)


def _notes(warehouse: Published, shops: list[str], period: Period) -> tuple[str, ...]:
    """What a reader must know before trusting the figures."""
    notes = []
    begun = queries.first_day(warehouse, shops)
    if begun is not None and period.last < begun:
        notes.append(Text("The books begin at {day}: nothing is known of earlier days.", day=begun))
    until = queries.mirrored_until(warehouse, shops)
    if until is not None and period.last > until:
        notes.append(
            Text("The mirror ends at {day}: later days are not in these figures yet.", day=until)
        )
    if unread := queries.unreadable_payments(warehouse, shops, period):
        notes.append(
            Text(
                "{n} payment(s) have an amount that could not be read; see ops.unreadable.",
                n=unread,
            )
        )
    if unknown := queries.unreadable_documents(warehouse, shops, period):
        notes.append(
            Text(
                "{n} document(s) have no amount that could be read and are in no total; "
                "see ops.unreadable.",
                n=unknown,
            )
        )
    return tuple(notes)
