"""The figures of a report, asked of ``marts`` and ``ops``; one query a figure.

Every function takes the open :class:`~pipelines.publish.published.Published` warehouse, the shops
(their ``shop_id``) and a period whose last day is included.
"""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from pipelines.language import Text
from pipelines.monitor.severity import Problem, worst
from pipelines.publish.published import Published
from pipelines.reconcile import books
from pipelines.report.figures import (
    Difference,
    Due,
    Method,
    MonthBar,
    Period,
    Seal,
    SealState,
    Sold,
    Taken,
    Technician,
    Workshop,
)
from sources.repair_shop.schema.dates import month_earlier, month_end

_SHOWN_DIFFERENCES = 6
_NOT_NAMED = Text("not named")


def _of(shops: Sequence[str], period: Period | None = None, **values: Any) -> dict[str, Any]:
    """The values of a query: the shops, the days of a period, and what else it names."""
    days = {} if period is None else {"first": period.first, "last": period.last}
    return {"shops": list(shops), **days, **values}


def _one(warehouse: Published, what: str, condition: str, values: dict[str, Any]) -> Any:
    """A single figure of some shops, from one mart."""
    sql = f"select {what} as found from marts.{condition} and list_contains($shops, shop_id)"  # noqa: S608 - ours
    return warehouse.row(sql, values)["found"]


def taken(warehouse: Published, shops: Sequence[str], period: Period) -> Taken:
    """Money taken, from ``marts.payments``: by kind, and by what it was paid for.

    Whose day makes a payment a sale of today, the invoice's or the ticket's, is the setting
    ``today_by``.
    """
    row = warehouse.row(
        """
        select
            coalesce(sum(amount) filter (where kind_chosen = 'sale'), 0) as sales,
            coalesce(sum(amount) filter (where kind_chosen = 'receivable'), 0) as receivables,
            coalesce(sum(amount) filter (where kind_chosen = 'advance'), 0) as advances,
            coalesce(sum(amount) filter (where kind_chosen = 'refund'), 0) as refunds,
            coalesce(sum(amount) filter (where document_type = 'pos_order'), 0) as counter,
            coalesce(sum(amount) filter (where document_type = 'ticket_invoice'
                or (document_type is null and ticket_id is not null)), 0) as repairs,
            coalesce(sum(amount) filter (where document_type is null and ticket_id is null), 0)
                as unassigned,
            count(*) as payments
        from marts.payments
        where list_contains($shops, shop_id) and day between $first and $last and amount is not null
        """,
        _of(shops, period),
    )
    return Taken(**row)


def unreadable_payments(warehouse: Published, shops: Sequence[str], period: Period) -> int:
    """Payments of the period whose amount nobody could read; they are in no total."""
    where = "payments where day between $first and $last and amount is null"
    return int(_one(warehouse, "count(*)", where, _of(shops, period)))


def unreadable_documents(warehouse: Published, shops: Sequence[str], period: Period) -> int:
    """Documents and returns of the period whose amount is not known; they are in no total."""
    where = "sales_documents where effect_day between $first and $last and gross is null"
    return int(_one(warehouse, "count(*)", where, _of(shops, period)))


def sold(warehouse: Published, shops: Sequence[str], period: Period) -> Sold:
    """Sales by the definition of the service's report, from ``marts.daily_sales``."""
    row = warehouse.row(
        """
        select
            coalesce(sum(total), 0) as total,
            coalesce(sum(ticket_total), 0) as repairs,
            coalesce(sum(pos_total), 0) as counter,
            coalesce(sum(returns), 0) as returns,
            coalesce(sum(tax), 0) as tax,
            coalesce(sum(cost), 0) as cost,
            coalesce(sum(margin), 0) as margin,
            coalesce(sum(uncosted), 0) as uncosted,
            coalesce(sum(ticket_invoice_count + pos_order_count), 0)::bigint as documents
        from marts.daily_sales
        where list_contains($shops, shop_id) and day between $first and $last
        """,
        _of(shops, period),
    )
    return Sold(**row)


def expenses(warehouse: Published, shops: Sequence[str], period: Period) -> Decimal:
    """Expenses booked within the period, from ``marts.purchase_documents``."""
    where = "purchase_documents where effect = 'expense' and created_day between $first and $last"
    value: Decimal = _one(warehouse, "coalesce(sum(cost), 0)", where, _of(shops, period))
    return value


def methods(warehouse: Published, shops: Sequence[str], period: Period) -> tuple[Method, ...]:
    """Money taken by payment method, the largest first."""
    rows = warehouse.rows(
        """
        select nullif(trim(payment_method), '') as name,
            sum(amount) as amount, count(*) as payments
        from marts.payments
        where list_contains($shops, shop_id) and day between $first and $last and amount is not null
        group by 1 order by abs(sum(amount)) desc, 1
        """,
        _of(shops, period),
    )
    return tuple(Method(**row | {"name": row["name"] or _NOT_NAMED}) for row in rows)


def due(warehouse: Published, shops: Sequence[str], last: date) -> Due:
    """What was still owed at the end of ``last``.

    ``marts.documents`` knows what is due now; payments and returns dated later are put back.
    A cent is the least that counts, as in ``marts.receivables``.
    """
    row = warehouse.row(
        """
        with later_paid as (
            select shop_id, document_type, document_id, sum(amount) as amount
            from marts.payments
            where list_contains($shops, shop_id) and day > $last and document_id is not null
            group by all
        ),
        later_returned as (
            select shop_id, document_type, document_id, sum(gross) as amount
            from marts.sales_documents
            where list_contains($shops, shop_id) and effect = 'return' and effect_day > $last
            group by all
        ),
        owed as (
            select
                date_diff('day', documents.created_day, $last::date) as age,
                documents.due + coalesce(later_paid.amount, 0)
                    - coalesce(later_returned.amount, 0) as due
            from marts.documents
            left join later_paid using (shop_id, document_type, document_id)
            left join later_returned using (shop_id, document_type, document_id)
            where list_contains($shops, documents.shop_id)
                and documents.created_day <= $last and documents.gross is not null
                -- Most documents are long settled and need no look at what came later.
                and (
                    documents.due >= 0.01
                    or documents.returns > 0
                    or documents.last_payment_day > $last
                )
        )
        select
            coalesce(sum(due) filter (where age <= 30), 0) as to_30,
            coalesce(sum(due) filter (where age between 31 and 60), 0) as to_60,
            coalesce(sum(due) filter (where age between 61 and 90), 0) as to_90,
            coalesce(sum(due) filter (where age > 90), 0) as over_90,
            count(*) as documents
        from owed where due >= 0.01
        """,
        _of(shops, last=last),
    )
    return Due(**row)


_TICKETS = """
            count(*) filter (where opened_day between $first and $last) as opened,
            count(*) filter (where is_done and done_day between $first and $last) as closed,
            median(cycle_hours) filter (where is_done and done_day between $first and $last)
                as median_hours,
            count(*) filter (where (not is_done or done_day > $last)) as open_at_end
"""


def workshop(warehouse: Published, shops: Sequence[str], period: Period) -> Workshop:
    """Tickets opened, closed and open."""
    row = warehouse.row(
        f"""
        select {_TICKETS},
            count(*) filter (where is_unassigned and (not is_done or done_day > $last))
                as unassigned_at_end
        from marts.tickets
        where list_contains($shops, shop_id) and opened_day <= $last
        """,  # noqa: S608 - ours
        _of(shops, period),
    )
    return Workshop(**row)


def technicians(
    warehouse: Published, shops: Sequence[str], period: Period
) -> tuple[Technician, ...]:
    """Who opened and closed what within the period, the busiest first; nobody's tickets last.

    Each shop's technician has a line, the tickets of nobody one for all shops.
    """
    rows = warehouse.rows(
        f"""
        select
            case when not is_unassigned then coalesce(technician, technician_id) end as name,
            {_TICKETS}
        from marts.tickets
        where list_contains($shops, shop_id) and opened_day <= $last
        group by 1, case when not is_unassigned then shop_id end,
            case when not is_unassigned then technician_id end
        having opened + closed + open_at_end > 0
        order by name is null, closed desc, opened desc, open_at_end desc, name
        """,  # noqa: S608 - ours
        _of(shops, period),
    )
    return tuple(Technician(**row) for row in rows)


def months(
    warehouse: Published, shops: Sequence[str], last: date, count: int = 13
) -> tuple[MonthBar, ...]:
    """Sales of ``count`` months up to the month of ``last``; months without a sale are zero."""
    first = month_earlier(last.replace(day=1), count - 1)
    rows = warehouse.rows(
        """
        select month, sum(ticket_total) as repairs, sum(pos_total) as counter
        from marts.monthly_sales
        where list_contains($shops, shop_id) and month between $first and $last
        group by 1
        """,
        _of(shops, first=first, last=last),
    )
    every = [month_earlier(last.replace(day=1), back) for back in reversed(range(count))]
    known = {month: {"month": month, "repairs": 0, "counter": 0} for month in every}
    known |= {row["month"]: row for row in rows}
    return tuple(MonthBar(**row, is_whole=last >= month_end(month)) for month, row in known.items())


def seal(
    warehouse: Published, shops: Sequence[str], today: date, problems: Sequence[Problem] = ()
) -> Seal:
    """The comparison with the service's own reports, of the periods with business up to ``today``.

    Books that agree are still in doubt while ``problems`` keep the figures from being relied on.
    """
    found = books.books(warehouse, shops, today)
    differ = sum(shop.differing for shop in found.values())
    if differ:
        state = SealState.DIFFERS
    elif set(found) != set(shops):
        # A shop nobody compared is no shop that agrees.
        state = SealState.UNKNOWN
    else:
        state = SealState.IN_DOUBT if worst(problems) else SealState.AGREES
    return Seal(
        state=state,
        compared=sum(shop.compared for shop in found.values()),
        differing=differ,
        differences=tuple(
            Difference(**{name: row[name] for name in Difference.model_fields})
            for row in books.differing(warehouse, shops, _SHOWN_DIFFERENCES)
        ),
        checked_at=max((s.checked_at for s in found.values() if s.checked_at), default=None),
    )


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


def open_day(warehouse: Published, shops: Sequence[str], until: date) -> date | None:
    """The last day up to ``until`` on which any of the shops is open."""
    where = "calendar where is_open and day <= $until"
    value: date | None = _one(warehouse, "max(day)", where, _of(shops, until=until))
    return value


def first_day(warehouse: Published, shops: Sequence[str]) -> date | None:
    """The day the shops' books begin."""
    value: date | None = _one(warehouse, "min(day)", "calendar where true", _of(shops))
    return value


def mirrored_until(warehouse: Published, shops: Sequence[str]) -> date | None:
    """The day on which the models were built; of several zones the one that is behind."""
    value: date | None = _one(warehouse, "min(day)", "calendar where is_today", _of(shops))
    return value
