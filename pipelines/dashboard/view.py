"""What stands above the parts of the page; knows nothing of Streamlit."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from pipelines.dashboard import standing
from pipelines.dashboard.asking import kept
from pipelines.dashboard.filters import Calendar, compared_with
from pipelines.monitor import freshness
from pipelines.publish.errors import NothingPublished
from pipelines.publish.published import Published
from pipelines.report import queries
from pipelines.report.closing import column, zone_of
from pipelines.report.figures import (
    Caution,
    Column,
    MonthBar,
    Period,
    Seal,
    SealState,
    Technician,
)


@dataclass(frozen=True)
class Shops:
    """Which shops there are, and which days they have."""

    names: tuple[str, ...]
    currencies: dict[str, str]
    zones: dict[str, str]
    calendar: Calendar


@dataclass(frozen=True)
class View:
    """What is above the parts of the page, for some shops and days."""

    now: Column
    before: Column | None
    bars: tuple[MonthBar, ...]
    """The months up to the last day looked at."""
    technicians: tuple[Technician, ...]
    seal: Seal
    as_of: datetime | None
    source: str = ""
    given: datetime | None = None
    """The PostgreSQL that was read, and since when it gives these figures."""
    cautions: tuple[Caution, ...] = ()
    """Why the figures cannot be relied on, gravest first."""


@kept
def shops(warehouse: Published) -> Shops:
    """The shops of the warehouse."""
    known = queries.shops(warehouse)
    names = tuple(known)
    today = datetime.now(UTC).date()
    until = queries.mirrored_until(warehouse, names) or today
    return Shops(
        names=names,
        currencies={name: row["currency"] for name, row in known.items()},
        zones={name: row["timezone"] for name, row in known.items()},
        calendar=Calendar(
            begun=queries.first_day(warehouse, names) or until,
            open_day=queries.open_day(warehouse, names, until) or until,
            until=until,
        ),
    )


def view(
    home: Path, names: Sequence[str], first: date, last: date, against: str = "before"
) -> View:
    """The page of the shops ``names`` for the days from ``first`` to ``last``."""
    found = _view(home, tuple(names), first, last, against)
    cautions = standing.cautions(home, names)
    if not cautions:
        return found
    seal = found.seal
    if seal.state is SealState.AGREES:
        seal = seal.model_copy(update={"state": SealState.IN_DOUBT})
    return replace(found, cautions=cautions, seal=seal)


@kept
def _view(
    warehouse: Published, names: tuple[str, ...], first: date, last: date, against: str
) -> View:
    period = Period(kind="day", first=first, last=last)
    before = compared_with(
        period,
        against,
        queries.open_day(warehouse, names, first - timedelta(days=1)),
        queries.first_day(warehouse, names) or first,
    )
    zone = zone_of(queries.shops(warehouse)[names[0]]["timezone"])
    as_of = freshness.as_of(warehouse, names)
    months = max(13, (last.year - first.year) * 12 + last.month - first.month + 1)
    return View(
        now=column(warehouse, names, period),
        before=None if before is None else column(warehouse, names, before),
        bars=queries.months(warehouse, names, last, months),
        technicians=queries.technicians(warehouse, names, period),
        seal=queries.seal(warehouse, names, datetime.now(UTC).astimezone(zone).date()),
        as_of=None if as_of is None else as_of.astimezone(zone),
        source=warehouse.server,
        given=freshness.given(warehouse),
    )


def warm(home: Path) -> None:
    """Ask what the first visitor will see, before there is one."""
    try:
        known = shops(home)
        if known.names:
            view(home, known.names, known.calendar.open_day, known.calendar.open_day)
    except NothingPublished:
        # The visitor is told: the page asks the same and shows what is wrong.
        return
