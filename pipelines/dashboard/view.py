"""What the page shows, asked in one opening of the warehouse; knows nothing of Streamlit.

Only ``marts`` and ``ops`` are asked, and each question once for each published file: answers are
kept until the next sync publishes.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path

import pandas as pd

from pipelines.dashboard import standing
from pipelines.dashboard.standing import frame
from pipelines.publish.published import Published
from pipelines.report import freshness, queries
from pipelines.report.closing import opened, zone_of
from pipelines.report.figures import (
    Caution,
    Due,
    MonthBar,
    Period,
    ReportError,
    Seal,
    SealState,
    Sold,
    Taken,
    Technician,
    Workshop,
)

MONTHS = 13
"""Months shown unless others are chosen: the last one and the same a year before are both there."""
MOST_DOCUMENTS = 1_000
"""Documents shown of a month; the number there are is said beside them."""


@dataclass(frozen=True)
class Shops:
    """Which shops there are, and which months have sales."""

    names: tuple[str, ...]
    currencies: dict[str, str]
    zones: dict[str, str]
    first_month: date | None
    last_month: date | None


@dataclass(frozen=True)
class View:
    """Everything above the drill-down, for some shops and months."""

    period: Period
    bars: tuple[MonthBar, ...]
    sold: Sold
    taken: Taken
    due: Due
    workshop: Workshop | None
    technicians: tuple[Technician, ...]
    seal: Seal
    as_of: datetime | None
    reconciliation: pd.DataFrame
    completeness: pd.DataFrame
    runs: pd.DataFrame
    debtors: pd.DataFrame
    cautions: tuple[Caution, ...] = ()
    """Why the figures cannot be relied on, gravest first."""


@dataclass(frozen=True)
class Month:
    """The drill-down: a month's days and documents."""

    days: pd.DataFrame
    documents: pd.DataFrame
    count: int


Signature = tuple[int, int] | None


def signature(home: Path) -> Signature:
    """Changes whenever a sync has published; None while there is no warehouse."""
    try:
        found = (home / "warehouse.duckdb").stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def shops(home: Path) -> Shops:
    """The shops of the warehouse; :class:`~pipelines.report.figures.ReportError` if none."""
    return _shops(home, signature(home))


def view(home: Path, names: Sequence[str], first: date, last: date) -> View:
    """The page of the shops ``names`` for the months from ``first`` to that of ``last``."""
    shown = _view(home, signature(home), tuple(names), first, last)
    cautions = standing.cautions(home, names)
    if not cautions:
        return shown
    seal = shown.seal
    if seal.state is SealState.AGREES:
        seal = seal.model_copy(update={"state": SealState.IN_DOUBT})
    return replace(shown, cautions=cautions, seal=seal)


def month(home: Path, names: Sequence[str], chosen: date, day: date | None = None) -> Month:
    """The days of a month and its documents, or those of one ``day`` of it."""
    return _month(home, signature(home), tuple(names), chosen, day)


def warm(home: Path) -> None:
    """Ask what the first visitor will see, before there is one."""
    try:
        known = shops(home)
        newest = known.last_month
        if known.names and newest is not None:
            first = queries.month_earlier(newest, MONTHS - 1)
            shown = view(home, known.names, first, newest)
            month(home, known.names, shown.bars[-1].month)
    except ReportError:
        # The visitor is told: the page asks the same and shows what is wrong.
        return


@functools.lru_cache(maxsize=4)
def _shops(home: Path, signature: Signature) -> Shops:
    with opened(home) as warehouse:
        known = queries.shops(warehouse)
        months = warehouse.row("select min(month) as a, max(month) as z from marts.monthly_sales")
        return Shops(
            names=tuple(known),
            currencies={name: row["currency"] for name, row in known.items()},
            zones={name: row["timezone"] for name, row in known.items()},
            first_month=months["a"],
            last_month=months["z"],
        )


@functools.lru_cache(maxsize=32)
def _view(
    home: Path, signature: Signature, names: tuple[str, ...], first: date, last: date
) -> View:
    with opened(home) as warehouse:
        until = queries.mirrored_until(warehouse, names) or last
        period = Period(kind="month", first=first, last=queries.month_end(last))
        count = (last.year - first.year) * 12 + last.month - first.month + 1
        zone = zone_of(queries.shops(warehouse)[names[0]]["timezone"])
        as_of = freshness.as_of(warehouse, names)
        return View(
            period=period,
            bars=queries.months(warehouse, names, min(period.last, max(until, first)), count),
            sold=queries.sold(warehouse, names, period),
            taken=queries.taken(warehouse, names, period),
            due=queries.due(warehouse, names, period.last),
            workshop=queries.workshop(warehouse, names, period),
            technicians=queries.technicians(warehouse, names, period),
            seal=queries.seal(warehouse, names, datetime.now(UTC).astimezone(zone).date()),
            as_of=None if as_of is None else as_of.astimezone(zone),
            reconciliation=_reconciliation(warehouse, names),
            completeness=standing.lists(warehouse, names),
            runs=standing.runs(warehouse),
            debtors=_debtors(warehouse, names),
        )


@functools.lru_cache(maxsize=32)
def _month(
    home: Path, signature: Signature, names: tuple[str, ...], chosen: date, day: date | None
) -> Month:
    first, last = chosen.replace(day=1), queries.month_end(chosen)
    with opened(home) as warehouse:
        days = warehouse.rows(
            """
            select day, sum(ticket_total)::double as repairs, sum(pos_total)::double as counter,
                sum(total)::double as total
            from marts.daily_sales
            where list_contains($shops, shop_id) and day between $first and $last
            group by 1 order by 1
            """,
            {"shops": list(names), "first": first, "last": last},
        )
        within = {"shops": list(names), "first": day or first, "last": day or last}
        documents = warehouse.rows(_DOCUMENTS, within | {"most": MOST_DOCUMENTS})
    columns = ["shop", "day", "kind", "number", "customer", "sold", "gross", "tax", "status", "id"]
    return Month(
        days=frame(days, ["day", "repairs", "counter", "total"]),
        documents=frame(documents, columns),
        count=documents[0]["of"] if documents else 0,
    )


_DOCUMENTS = """
with rules as (
    select
        shop_id,
        coalesce(sales_definition ->> '$.date_basis', 'document') as date_basis,
        coalesce(sales_definition ->> '$.amount_basis', 'gross') as amount_basis,
        coalesce(sales_definition ->> '$.returns', 'return_day') as returns_rule,
        coalesce(sales_definition ->> '$.documents', 'all') as documents_rule
    from ops.shops
),
effects as (
    select
        shop_id,
        case
            when effect = 'return' and returns_rule = 'return_day' then effect_day
            when date_basis = 'ticket' then ticket_day
            when date_basis = 'due' then due_day
            when date_basis = 'settled' then settled_day
            else document_day
        end as day,
        effect as kind, document_number as number, customer_name as customer,
        case when amount_basis = 'net' then coalesce(net, gross) else gross end as sold,
        gross, tax, status, document_id as id, effect_at as moment
    from marts.sales_documents join rules using (shop_id)
    where date_basis <> 'payment'
        and (documents_rule = 'all' or is_paid)
        and not (effect = 'return' and returns_rule = 'ignored')
    union all
    select
        shop_id, day, kind, document_number, customer_name, amount, amount, null, null,
        document_id, paid_at
    from marts.payments join rules using (shop_id)
    where date_basis = 'payment' and not (kind = 'refund' and returns_rule = 'ignored')
),
counted as (
    from effects where list_contains($shops, shop_id) and day between $first and $last
)
select shop_id as shop, day, kind, number, customer, sold::double as sold,
    gross::double as gross, tax::double as tax, status, id, count(*) over () as of
from counted
order by day desc, moment desc nulls last, number
limit $most
"""
"""The documents by which a shop's sales are counted (``ops.shops.sales_definition``), each with the
day on which and the amount with which it counts: they add up to ``marts.daily_sales``."""


def _reconciliation(warehouse: Published, names: Sequence[str]) -> pd.DataFrame:
    rows = warehouse.rows(
        """
        select shop_id as shop, report, period, ours::double as ours, theirs::double as theirs,
            difference::double as difference, matches
        from marts.reconciliation where list_contains($shops, shop_id)
        order by matches, period desc, report, shop limit 500
        """,
        {"shops": list(names)},
    )
    columns = ["shop", "report", "period", "ours", "theirs", "difference", "matches"]
    return frame(rows, columns)


def _debtors(warehouse: Published, names: Sequence[str]) -> pd.DataFrame:
    columns = ["shop", "customer", "document", "day", "age", "due"]
    if not warehouse.has("marts.receivables", "age_days", "due", "customer_name"):
        return frame([], columns)
    rows = warehouse.rows(
        """
        select shop_id as shop, customer_name as customer, document_number as document,
            created_day as day, age_days as age, due::double as due
        from marts.receivables where list_contains($shops, shop_id)
        order by receivables.due desc limit 200
        """,
        {"shops": list(names)},
    )
    return frame(rows, columns)
