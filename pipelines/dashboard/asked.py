"""Questions of the page to the published warehouse, each asked once for each published file.

Answers are kept until the next sync publishes, in no language, so that they can be shown in any.
"""

import functools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import streamlit as st

from pipelines.destinations.read import attached
from pipelines.publish.errors import NothingPublished
from pipelines.publish.published import WAREHOUSE, Published, published, read_from

P = ParamSpec("P")
R = TypeVar("R")
Signature = tuple[object, ...] | None
Names = tuple[str, ...]
Rows = list[dict[str, Any]]
MOST = 500
"""Rows of a table that are shown; how many there are is said beside it."""
_FOR_SECONDS = 2
"""A server is not asked anew so long."""
_GIVEN = (
    "select (select max(publication.at) from ops.publication), "
    "(select max(ended_at) from ops.runs), (select max(checked_at) from ops.completeness)"
)


def signature(home: Path) -> Signature:
    """Changes whenever a sync has published; None while there is no warehouse."""
    if server := read_from():
        return _of_server(server, int(time.time() // _FOR_SECONDS))
    try:
        found = (home / WAREHOUSE).stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


@functools.lru_cache(maxsize=1)
def _of_server(server: str, _now: int) -> Signature:
    try:
        with attached(server) as connection:
            return connection.execute(_GIVEN).fetchone()
    except NothingPublished:
        return None


@st.cache_data(max_entries=200, show_spinner=False)
def _kept(
    name: str, home: Path, published_as: Signature, values: tuple[Any, ...], named: dict[str, Any],
    _question: Callable[..., Any],
) -> Any:  # fmt: skip
    with published(home) as warehouse:
        return _question(warehouse, *values, **named)


def cached(question: Callable[Concatenate[Published, P], R]) -> Callable[Concatenate[Path, P], R]:
    """Ask a question of the warehouse in a home, once for each published file.

    Raises :class:`~pipelines.publish.errors.NothingPublished` when there is none.
    """

    @functools.wraps(question)
    def asked(home: Path, *values: P.args, **named: P.kwargs) -> R:
        answer = _kept(question.__qualname__, home, signature(home), values, named, question)
        return cast("R", answer)

    return cast("Callable[Concatenate[Path, P], R]", asked)


def listed(sql: str) -> Callable[..., Rows]:
    """A table of the page: called with home and shops, and what else ``sql`` names (``$first``).

    ``of`` in each row says how many there are; at most :data:`MOST` come.
    """

    def ask(home: Path, names: Names, **values: Any) -> Rows:
        return _rows(home, sql, names, values)

    return ask


@cached
def _rows(warehouse: Published, sql: str, names: Names, values: dict[str, Any]) -> Rows:
    counted = f"select *, count(*) over () as of from ({sql}) limit {MOST}"  # noqa: S608 - ours
    return warehouse.rows(counted, {"shops": list(names), **values})


days = listed(
    """
    select day, sum(sold) as sold, sum(sold_repairs) as repairs, sum(sold_counter) as counter
    from marts.shop_days where list_contains($shops, shop_id) and day between $first and $last
    group by 1 order by 1
    """
)
documents = listed(
    """
    select shop_id as shop, counted_day as day, effect as kind, document_number as number,
        customer_name as customer, counted_amount as sold, gross, tax, status, document_type,
        document_id as id
    from marts.counted_sales
    where list_contains($shops, shop_id) and counted_day between $first and $last
    order by counted_day desc, happened_at desc nulls last, document_number
    """
)
open_tickets = listed(
    """
    select shop_id as shop, coalesce(ticket_ref, ticket_no::varchar) as number, opened_day as day,
        age_days as age, customer_name as customer, replace(device, '|', ' ') as device, status,
        case when not is_unassigned then technician end as technician, promised_day as promised,
        is_late, invoiced, due, id
    from marts.tickets where list_contains($shops, shop_id) and not is_done
    order by opened_day, number
    """
)
debtors = listed(
    """
    select shop_id as shop, customer_name as customer, document_number as number,
        created_day as day, age_days as age, receivables.due as due, document_type,
        document_id as id
    from marts.receivables where list_contains($shops, shop_id)
    order by receivables.due desc, number
    """
)
reconciliation = listed(
    """
    select shop_id as shop, report, period, ours, theirs, difference,
        coalesce(matches, false) as matches
    from marts.reconciliation
    where list_contains($shops, shop_id)
        and (matches is not true or coalesce(ours, 0) <> 0 or coalesce(theirs, 0) <> 0)
    order by coalesce(matches, false), period desc, report, shop
    """
)
to_reorder = listed(
    """
    select shop_id as shop, code, name, supplier, stock_quantity as quantity,
        alert_quantity as alert, on_order_quantity as on_order, reorder_quantity as reorder,
        sold_quantity_90_days as sold_90, days_of_cover as cover
    from marts.products
    where list_contains($shops, shop_id) and is_below_reorder_level and status = 'Active'
    order by days_of_cover nulls last, code
    """
)
dead_stock = listed(
    """
    select shop_id as shop, code, name, category, stock_quantity as quantity, stock_value as value,
        last_sold_day as last_sold, created_day as day
    from marts.products where list_contains($shops, shop_id) and is_dead_stock
    order by stock_value desc nulls last, code
    """
)
customers = listed(
    """
    with sold as (
        select shop_id, customer_id, sum(counted_amount) as amount, count(*) as documents
        from marts.counted_sales
        where counted_day between $first and $last and customer_id is not null
        group by 1, 2
    )
    select shop_id as shop, ref as number, coalesce(name, company) as customer, sold.amount,
        sold.documents, visits, lifetime_value as lifetime, customers.due as due,
        last_visit_day as day, id
    from sold join marts.customers as customers using (shop_id)
    where customers.id = sold.customer_id and list_contains($shops, shop_id)
    order by sold.amount desc, number
    """
)
lost_customers = listed(
    """
    select shop_id as shop, ref as number, coalesce(name, company) as customer, visits,
        lifetime_value as lifetime, last_visit_day as day, id
    from marts.customers
    where list_contains($shops, shop_id) and visits > 1
        and last_visit_day < cast($last as date) - interval 180 day
    order by lifetime_value desc, number
    """
)
new_and_returning = listed(
    """
    select month, sum(new_customers) as new, sum(returning_customers) as returning
    from marts.customer_months
    where list_contains($shops, shop_id)
        and month between date_trunc('month', cast($last as date)) - interval 12 month and $last
    group by 1 order by 1 desc
    """
)
appointments = listed(
    """
    select coalesce(outcome, 'unknown') as outcome, count(*) as count
    from marts.appointments
    where list_contains($shops, shop_id) and start_day between $first and $last
    group by 1 order by 2 desc, 1
    """
)
leads = listed(
    """
    select coalesce(referred_by, '') as source, count(*) as count, count_if(is_won) as won,
        count_if(is_lost) as lost, sum(revenue) as amount
    from marts.leads where list_contains($shops, shop_id) and created_day between $first and $last
    group by 1 order by 2 desc, 1
    """
)
expenses = listed(
    """
    select shop_id as shop, created_day as day, category, document_number as number, cost as amount
    from marts.purchase_documents
    where list_contains($shops, shop_id) and effect = 'expense'
        and created_day between $first and $last
    order by created_day desc, number
    """
)

COUNTER = "\n"
"""The name of what was sold without a ticket; no person has it."""
_LINES = """
    select {name} as name, sales.counted_day as day, lines.total as amount, lines.margin as margin,
        sales.*
    from marts.sales_lines as lines
    join marts.counted_sales as sales using (shop_id, effect_key)
"""
_BY = {
    "product": _LINES.format(name="coalesce(lines.product, lines.item_description)"),
    "category": _LINES.format(name="lines.category"),
    "technician": f"""
        select case when sales.document_type = 'pos_order' then '{COUNTER}'
                else tickets.technician end as name,
            sales.counted_day as day, sales.counted_amount as amount, sales.margin as margin,
            sales.*
        from marts.counted_sales as sales
        left join (select shop_id as of_shop, id, technician from marts.tickets) as tickets
            on of_shop = sales.shop_id and tickets.id = sales.ticket_id
    """,  # noqa: S608 - ours
    "shop": "select shop_id as name, counted_day as day, counted_amount as amount, margin, * "
    "from marts.counted_sales",
}
"""What sales are broken down by: rows with ``name, day, amount``, by the shop's own definition."""
_NAMED = "nullif(trim(name, ' '), '')"


@cached
def breakdown(
    warehouse: Published, names: Names, by: str, days: tuple[Any, Any], before: tuple[Any, Any]
) -> Rows:
    """Sales by ``product``, ``category``, ``technician`` or ``shop``, the largest first.

    ``name`` (None: none is named), ``amount``, ``margin``, ``before`` (of the days ``before``).
    """
    return warehouse.rows(
        f"""
        with parts as ({_columns(by)})
        select {_NAMED} as name,
            coalesce(sum(parts.amount) filter (where day between $first and $last), 0) as amount,
            sum(parts.margin) filter (where day between $first and $last) as margin,
            coalesce(sum(parts.amount) filter (where day between $since and $until), 0) as before,
            count(*) over () as of
        from parts
        where list_contains($shops, shop_id)
            and (day between $first and $last or day between $since and $until)
        group by 1 order by 2 desc, 4 desc, name nulls last limit {MOST}
        """,  # noqa: S608 - one of the above
        {
            "shops": list(names), "first": days[0], "last": days[1], "since": before[0],
            "until": before[1],
        },
    )  # fmt: skip


@cached
def documents_of(
    warehouse: Published, names: Names, by: str, name: str | None, days: tuple[Any, Any]
) -> Rows:
    """The documents behind a row of a breakdown, as :data:`documents` has them."""
    return warehouse.rows(
        f"""
        with parts as ({_columns(by)})
        select shop_id as shop, day, effect as kind, document_number as number,
            customer_name as customer, sum(parts.amount) as sold, document_type, document_id as id,
            count(*) over () as of
        from parts
        where list_contains($shops, shop_id) and day between $first and $last
            and {_NAMED} is not distinct from $name
        group by all order by day desc, number limit {MOST}
        """,  # noqa: S608 - one of the above
        {"shops": list(names), "first": days[0], "last": days[1], "name": name},
    )


def _columns(by: str) -> str:
    wanted = "name, day, amount, margin, shop_id, effect, document_number, document_type"
    return f"select {wanted}, document_id, customer_name from ({_BY[by]})"  # noqa: S608 - ours
