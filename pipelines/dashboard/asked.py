"""Questions of the page to the published warehouse, each asked once for each published file.

Answers are kept until the next sync publishes, in no language, so that they can be shown in any.
"""

import functools
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import streamlit as st

from pipelines.destinations.read import attached
from pipelines.publish.errors import NothingPublished
from pipelines.publish.published import WAREHOUSE, Published, published, read_from
from pipelines.report.figures import BY_NOW, RUNS

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


@cached
def rows(warehouse: Published, sql: str, names: Names, values: dict[str, Any]) -> Rows:
    """A table of the page, as :func:`counted` has it."""
    return warehouse.rows(counted(sql), {"shops": list(names), **values})


def counted(sql: str) -> str:
    """The first rows of a question; ``of`` in each says how many there are."""
    return f"select *, count(*) over () as of from ({sql}) limit {MOST}"  # noqa: S608 - ours


COUNTER = "\n"
"""The name of what was sold without a ticket; no person has it."""
_BY = {
    "product": "product as part, * from marts.counted_lines",
    "category": "category as part, * from marts.counted_lines",
    "technician": f"if(document_type = 'pos_order', '{COUNTER}', technician) as part, * "
    "from marts.counted_sales",
    "shop": "shop_id as part, * from marts.counted_sales",
}
"""What sales are broken down by, by the shop's own definition."""
_PARTS = "(select nullif(trim(part, ' '), '') as name, * from (select {}))"


@cached
def breakdown(
    warehouse: Published, names: Names, by: str, days: tuple[Any, Any], before: tuple[Any, Any],
    running: date | None,
) -> Rows:  # fmt: skip
    """Sales by ``product``, ``category``, ``technician`` or ``shop``, the largest first.

    ``name`` (None: none is named), ``amount``, ``margin``, ``whole`` (the amounts of all parts),
    ``before`` (of the days ``before``, the last of them up to the time of day of the build where
    ``running`` still runs).
    """
    return warehouse.rows(
        f"""
        with {RUNS}
        select name,
            coalesce(sum(counted_amount) filter (counted_day between $first and $last), 0)
                as amount,
            sum(margin) filter (counted_day between $first and $last) as margin,
            coalesce(sum(counted_amount) filter (
                counted_day between $since and $to and {BY_NOW.format("happened_at")}
            ), 0) as before,
            sum(coalesce(
                sum(counted_amount) filter (counted_day between $first and $last), 0
            )) over () as whole,
            count(*) over () as of
        from {_PARTS.format(_BY[by])} as parts
        left join runs on runs.shop_id = parts.shop_id
        where list_contains($shops, parts.shop_id)
            and (counted_day between $first and $last or counted_day between $since and $to)
        group by 1 order by amount desc, before desc, name nulls last limit {MOST}
        """,  # noqa: S608 - one of the above
        {
            "shops": list(names), "first": days[0], "last": days[1], "since": before[0],
            "to": before[1], "until": running,
        },
    )  # fmt: skip


@cached
def documents_of(
    warehouse: Published, names: Names, by: str, name: str | None, days: tuple[Any, Any]
) -> Rows:
    """The documents behind a row of a breakdown, as :data:`documents` has them."""
    return warehouse.rows(
        f"""
        select shop_id as shop, counted_day as day, effect as kind, document_number as number,
            customer_name as customer, sum(counted_amount) as sold, document_type,
            document_id as id, count(*) over () as of
        from {_PARTS.format(_BY[by])}
        where list_contains($shops, shop_id) and counted_day between $first and $last
            and name is not distinct from $name
        group by all order by day desc, number limit {MOST}
        """,  # noqa: S608 - one of the above
        {"shops": list(names), "first": days[0], "last": days[1], "name": name},
    )
