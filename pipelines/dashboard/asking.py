"""Questions to the published warehouse, asked once for each published file.

Only ``marts`` and ``ops`` are asked; answers are kept until the next sync publishes, in no
language, so that they can be shown in any.
"""

import functools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar, cast

from pipelines.destinations.read import attached
from pipelines.publish.errors import NothingPublished
from pipelines.publish.published import WAREHOUSE, Published, published, read_from

P = ParamSpec("P")
R = TypeVar("R")
Signature = tuple[object, ...] | None
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


def kept(question: Callable[Concatenate[Published, P], R]) -> Callable[Concatenate[Path, P], R]:
    """Ask a question of the warehouse in a home, once for each published file.

    Raises :class:`~pipelines.publish.errors.NothingPublished` when there is none.
    """

    @functools.lru_cache(maxsize=32)
    def ask(home: Path, _signature: Signature, *values: P.args, **named: P.kwargs) -> R:
        with published(home) as warehouse:
            return question(warehouse, *values, **named)

    @functools.wraps(question)
    def asked(home: Path, *values: P.args, **named: P.kwargs) -> R:
        return ask(home, signature(home), *values, **named)  # type: ignore[arg-type]  # hashable

    return cast("Callable[Concatenate[Path, P], R]", asked)
