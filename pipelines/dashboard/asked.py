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
from pipelines.publish.published import WAREHOUSE, Published, Rows, published, read_from

P = ParamSpec("P")
R = TypeVar("R")
Signature = tuple[object, ...] | None
Names = tuple[str, ...]
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
    """The first rows of a question; ``of`` in each says how many there are."""
    first = f"select *, count(*) over () as of from ({sql}) limit {MOST}"  # noqa: S608 - ours
    return warehouse.rows(first, {"shops": list(names), **values})
