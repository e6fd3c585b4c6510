"""The figures of a period: sums over ``marts.shop_days``, one question for all shops.

Money is :class:`~decimal.Decimal` in the shop's currency (units, not cents), days are the shop's
own, durations are hours. A figure that the warehouse cannot give is ``None``: nothing ever shows
a zero that nobody measured.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ConfigDict, SkipValidation

from pipelines.language import Text
from pipelines.publish.published import Published, Rows
from pipelines.report.periods import Period, months_before

Words = SkipValidation[str]
"""What the shop calls a thing, or a :class:`~pipelines.language.Text` of ours."""
NOT_NAMED = Text("not named")
ZERO = Decimal(0)


class ReportError(Exception):
    """The report cannot be made or sent; the message says what to do. Exit code 2."""

    exit_code = 2


class Frozen(BaseModel):
    """Plain figures, not to be changed."""

    model_config = ConfigDict(frozen=True)


class Flows(Frozen):
    """What happened within a period; each is a column of ``marts.shop_days``, explained there."""

    taken: Decimal = ZERO
    sales: Decimal = ZERO
    receivables: Decimal = ZERO
    advances: Decimal = ZERO
    refunds: Decimal = ZERO
    taken_repairs: Decimal = ZERO
    taken_counter: Decimal = ZERO
    taken_unassigned: Decimal = ZERO
    sold: Decimal = ZERO
    sold_repairs: Decimal = ZERO
    sold_counter: Decimal = ZERO
    returned: Decimal = ZERO
    tax: Decimal = ZERO
    cost: Decimal = ZERO
    margin: Decimal = ZERO
    uncosted: Decimal = ZERO
    expenses: Decimal = ZERO
    payments: int = 0
    unreadable_payments: int = 0
    unreadable_documents: int = 0
    documents: int = 0
    tickets_opened: int = 0
    tickets_closed: int = 0


class Figures(Flows):
    """A period's flows, and how things stood at its end."""

    due_to_30: Decimal = ZERO
    due_31_to_60: Decimal = ZERO
    due_61_to_90: Decimal = ZERO
    due_over_90: Decimal = ZERO
    due: Decimal = ZERO
    documents_due: int = 0
    tickets_open: int = 0
    tickets_without_technician: int = 0
    median_hours: float | None = None
    """Median cycle time of the tickets closed, in opening hours."""


FLOWS = tuple(Flows.model_fields)
_STANDING = tuple(name for name in Figures.model_fields if name not in (*FLOWS, "median_hours"))
_RUNNING = "select shop_id from marts.shop_days where is_today and day = $until"
"""Shops in which a day still runs: elsewhere it may be over."""
RUNS = f"""runs as (
    select so_far.shop_id, coalesce(timezone, 'UTC') as timezone,
        $to + to_minutes(until_minute::int + 1) as cut
    from marts.shop_days_so_far as so_far
    left join ops.shops on shops.shop_id = so_far.shop_id
    where day = $until and so_far.shop_id in ({_RUNNING})
)"""  # noqa: S608 - ours
"""Where the day ``$until`` still runs, and where the day ``$to`` beside it is to be cut."""
BY_NOW = "coalesce({} at time zone runs.timezone not between cut and $to + interval 1 day, true)"
"""Whether a moment, joined with :data:`RUNS`, counts beside a day that still runs."""


class Calendar(Frozen):
    """The days there are: of the books' beginning, the mirror's last one, the last open one."""

    begun: date
    until: date
    """The day on which the models were built, which still ran; of several zones the one behind."""
    open_day: date
    """The last day up to then on which a shop was open and did business; else ``until``."""


def shops(warehouse: Published) -> dict[str, dict[str, Any]]:
    """Every shop with its ``timezone`` and ``currency``, by name."""
    rows = warehouse.rows(
        """
        select shop_id, coalesce(timezone, 'UTC') as timezone, coalesce(currency, '') as currency
        from ops.shops
        union
        select distinct shop_id, 'UTC', '' from marts.calendar
        where shop_id not in (select shop_id from ops.shops)
        order by 1
        """
    )
    return {row["shop_id"]: row for row in rows}


def calendar(warehouse: Published, names: Sequence[str], today: date) -> Calendar:
    """The days of these shops; where the books have none all are ``today``."""
    row = warehouse.row(
        """
        with days as (from marts.shop_days where list_contains($shops, shop_id)),
        mirrored as (select min(day) as until from days where is_today)
        select min(day) as begun, coalesce(any_value(mirrored.until), max(day)) as until,
            max(day) filter (where is_business_day and day <= mirrored.until) as open_day
        from days cross join mirrored
        """,
        {"shops": list(names)},
    )
    until = min(row["until"] or today, today)
    return Calendar(
        begun=row["begun"] or until, until=until, open_day=min(row["open_day"] or until, until)
    )


def open_day_before(warehouse: Published, names: Sequence[str], day: date) -> date | None:
    """The last open day before a day."""
    found: date | None = warehouse.row(
        "select max(day) as day from marts.shop_days "
        "where is_business_day and day < $day and list_contains($shops, shop_id)",
        {"shops": list(names), "day": day},
    )["day"]
    return found


def by_shop(
    warehouse: Published, names: Sequence[str], period: Period, until: date, *, so_far: bool = False
) -> Mapping[str | None, Figures]:
    """Shop -> its figures of a period, and those of all under None, in one question.

    ``until`` is the mirror's last day. ``so_far``: of the last day only what had happened by the
    build's time of day, in shops whose day still runs there. It is for a period that is compared
    with one that still runs.
    """
    flows, standing = ", ".join(FLOWS), ", ".join(_STANDING)
    days = f"select shop_id, {flows} from marts.shop_days where day between $first and $last"  # noqa: S608 - columns
    if so_far:
        cut = f"day = $last and shop_id in ({_RUNNING})"
        later = f"select shop_id, {flows} from marts.shop_days_so_far where {cut}"  # noqa: S608 - columns
        days = f"{days} and not ({cut}) union all {later}"
    sums = ", ".join(f"coalesce(sum({name}), 0) as {name}" for name in (*FLOWS, *_STANDING))
    rows = warehouse.rows(
        f"""
        with days as (
            {days}
            union all by name
            select shop_id, {standing} from marts.shop_days where day = $stood
        )
        select shop_id, {sums}, if(shop_id is null, (
            select median(cycle_hours)::double from marts.tickets where is_done
                and done_day between $first and $last and list_contains($shops, shop_id)
        ), null) as median_hours
        from (select unnest($shops) as shop_id) left join days using (shop_id)
        group by grouping sets ((shop_id), ())
        """,  # noqa: S608 - columns of the mart
        _of(names, period, stood=min(period.last, until), until=until),
    )
    return {row.pop("shop_id"): Figures(**row) for row in rows}


def time_of_build(warehouse: Published, names: Sequence[str], until: date) -> str:
    """``20:00``: how far the day that still runs had come at the build, in the shop behind."""
    minute = warehouse.row(
        "select min(until_minute)::int as minute from marts.shop_days_so_far "  # noqa: S608 - ours
        f"where list_contains($shops, shop_id) and day = $until and shop_id in ({_RUNNING})",
        {"shops": list(names), "until": until},
    )["minute"]
    return "" if minute is None else f"{minute // 60:02}:{minute % 60:02}"


def methods(
    warehouse: Published,
    names: Sequence[str],
    period: Period,
    beside: Period | None = None,
    running: date | None = None,
) -> Rows:
    """Money taken by payment method, the largest first; ``beside`` is a period to compare with: of
    its last day only what had happened by the build's time of day, where ``running`` still runs.
    ``before`` is None without it.
    """
    other = beside or period
    rows = warehouse.rows(
        f"""
        with {RUNS}
        select nullif(trim(payment_method), '') as name,
            coalesce(sum(paid.amount) filter (day between $first and $last), 0) as amount,
            count(*) filter (day between $first and $last) as payments,
            coalesce(sum(paid.amount) filter (
                day between $since and $to and {BY_NOW.format("paid_at")}
            ), 0) as before
        from marts.payments as paid
        left join runs on runs.shop_id = paid.shop_id
        where list_contains($shops, paid.shop_id) and paid.amount is not null
            and (day between $first and $last or day between $since and $to)
        group by 1
        order by abs(coalesce(sum(paid.amount) filter (day between $first and $last), 0)) desc, 1
        """,  # noqa: S608 - ours
        _of(names, period, since=other.first, to=other.last, until=running),
    )
    return [
        row | {"name": row["name"] or NOT_NAMED, "before": row["before"] if beside else None}
        for row in rows
    ]


def technicians(warehouse: Published, names: Sequence[str], period: Period, until: date) -> Rows:
    """Who opened and closed what within the period, the busiest first; nobody's tickets last.

    Each shop's technician has a line, the tickets of nobody one for all shops; no name is theirs.
    """
    return warehouse.rows(
        """
        select
            case when not is_unassigned then coalesce(technician, technician_id) end as name,
            count(*) filter (where opened_day between $first and $last) as opened,
            count(*) filter (where is_done and done_day between $first and $last) as closed,
            (median(cycle_hours) filter (where is_done and done_day between $first and $last)
                )::double as median_hours,
            count(*) filter (where opened_day <= $stood and (not is_done or done_day > $stood))
                as open_at_end
        from marts.tickets
        where list_contains($shops, shop_id)
        group by 1, case when not is_unassigned then shop_id end,
            case when not is_unassigned then technician_id end
        having opened + closed + open_at_end > 0
        order by name is null, closed desc, opened desc, open_at_end desc, name
        """,
        _of(names, period, stood=min(period.last, until)),
    )


def months(warehouse: Published, names: Sequence[str], last: date, count: int = 13) -> Rows:
    """Sales of ``count`` months up to the month of ``last``; months without a sale are zero.

    In ``total`` are, where payments are what counts, those of no known document, too; a month is
    not whole while it is not over.
    """
    return warehouse.rows(
        """
        select months.month, coalesce(sum(sold_repairs), 0) as repairs,
            coalesce(sum(sold_counter), 0) as counter, coalesce(sum(sold), 0) as total,
            last_day(months.month) <= $last as is_whole
        from (select unnest(generate_series($first, $last, interval 1 month))::date as month)
            as months
        left join marts.shop_days as days on days.month = months.month and days.day <= $last
            and list_contains($shops, days.shop_id)
        group by 1 order by 1
        """,
        {"shops": list(names), "first": months_before(last, count - 1), "last": last},
    )


def _of(names: Sequence[str], period: Period, **values: Any) -> dict[str, Any]:
    return {"shops": list(names), "first": period.first, "last": period.last, **values}
