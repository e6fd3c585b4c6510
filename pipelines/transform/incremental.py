"""When a build may replace only what depends on what changed, and the proof that it was enough.

Such a build (``macros/changes.sql`` of the models) replaces rows of the tables that are kept: those
of records loaded since the last build, and of what depends on them. It needs a last build that
ended well, of the same statements and settings; every other build is whole, and so is one a week,
which is held against the tables as they were kept until then.

What the last build had stands in the file itself, or at the server, beside its tables: the loads
in ``ops.built_loads``, and in ``ops.meta`` what it was made of and when the last whole one was. It
is taken away when a build begins and comes back when it has ended, so a build that was cut off
leaves a file of which the next builds everything.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from pipelines.load.ops import OPS_TABLES
from pipelines.sql import written
from pipelines.transform.compiled import Node

LEAST_LINES = 200_000
"""Lines of documents below which a build in a file is whole: it takes seconds, needs no proof."""
WHOLE_EVERY = timedelta(days=7)
DIFFERS = "kept_tables_differed"
"""Name of the finding that a build of what changed was not equal to a whole one."""
_LINES = ("ticket_invoices__lines", "pos_orders__lines")
_LOADED = (
    "ticket_invoices",
    "pos_orders",
    "tickets",
    "payments",
    "products",
    "customers",
    "ticket_comments",
    "ticket_timers",
)
"""Lists whose loads tell what changed: those of ``int_changed_records``. A nested list is only
ever loaded with its record."""
_SETTINGS = (
    f"select {', '.join(OPS_TABLES['shops'])} from ops.shops order by shop_id",  # noqa: S608 - ours
    "select shop_id, status_id, label, meaning, is_closed, is_done from ops.statuses "
    "order by 1, 2, 3, 4, 5, 6",
)


Ask = Callable[[str], Sequence[Sequence[Any]]]
"""Carries a statement out where the build is; what it answers."""


class LastBuild:
    """What a warehouse knows of its last build. ``statements``: which ones it is built of now;
    ``more``: questions whose answers must be what they were, like the settings; ``loads``: which of
    the loads (``load_id``) the last build had for good, as a condition; ``least``: lines below
    which a build is whole.
    """

    def __init__(
        self,
        ask: Ask,
        statements: str,
        *,
        more: Sequence[str] = (),
        loads: str = "true",
        least: int | None = None,
    ) -> None:
        self._least = LEAST_LINES if least is None else least
        self._ask, self._statements, self._loads = ask, statements, loads
        self._settings = (*_SETTINGS, *more)
        ask("create table if not exists ops.meta (name varchar, value varchar)")
        said = {str(name): value for name, value in ask("select name, value from ops.meta")}
        self.stands = said.get("built_of") == self._made_of() and self._is_large()
        """Whether the tables are those of the last build, of the same statements and settings."""
        whole_at = datetime.fromisoformat(said.get("built_whole_at", "1970-01-01T00:00:00+00:00"))
        # A clock that was set back makes no week of years.
        self.is_due = not timedelta(0) <= datetime.now(UTC) - whole_at < WHOLE_EVERY
        """Whether a whole build is due."""

    def _made_of(self) -> str:
        settings = [[tuple(row) for row in self._ask(sql)] for sql in self._settings]
        return hashlib.sha256(f"{self._statements}{settings}".encode()).hexdigest()

    def _is_large(self) -> bool:
        counts = [self._ask(f"select count(*) from raw.{table}") for table in _LINES]  # noqa: S608 - ours
        return sum(int(count) for ((count,),) in counts) >= self._least

    def begin(self) -> None:
        """A build begins: until it has ended, nothing stands."""
        self._ask("delete from ops.meta where name = 'built_of'")

    def ended(self, *, whole: bool) -> None:
        """A build has ended well."""
        if not self._is_large():
            return
        loads = " union ".join(f"select _dlt_load_id as load_id from raw.{t}" for t in _LOADED)  # noqa: S608 - ours
        said = {"built_whole_at": datetime.now(UTC).isoformat()} if whole else {}
        said["built_of"] = self._made_of()
        for sql in (
            "create table if not exists ops.built_loads (load_id varchar)",
            "delete from ops.built_loads",
            f"insert into ops.built_loads select load_id from ({loads}) as loads "  # noqa: S608 - ours
            f"where load_id is not null and {self._loads}",
        ):
            self._ask(sql)
        for name, value in said.items():  # last what lets the next build trust all others
            given = {"name": name, "value": value}
            self._ask(written("delete from ops.meta where name = $name", given))
            self._ask(written("insert into ops.meta values ($name, $value)", given))


def contents(
    ask: Ask, nodes: Sequence[Node], digest: str = "sum(hash(kept))::varchar"
) -> Mapping[str, str]:
    """Tables that are kept, and what stands for all their rows, in whatever order."""
    return {
        name: str(*ask(f"select count(*), {digest} from {name} as kept"))  # noqa: S608 - ours
        for name in (
            f"{node.schema}.{node.table}"
            for node in nodes
            if node.replaced_by or node.kind == "incremental" or node.name == "unreadable"
        )
    }


def differing(kept: Mapping[str, str], whole: Mapping[str, str]) -> list[str]:
    """The tables whose :func:`contents` are not those of a whole build, in words."""
    return [
        f"{name} held (rows, digest) {kept[name]} where a whole build has {held}"
        for name, held in whole.items()
        if kept[name] != held
    ]
