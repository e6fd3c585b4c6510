"""The ledger as a change log that any number of destinations read, each from where it stopped.

A row stands in the log once, with its newest content, under the number of the change that brought
it; a deletion is the same row under the next number. A destination keeps how far it has read, for
each shop, in its own state, committed with the rows: it reads what is beyond.

::

    log = ChangeLog(ledger, shops)
    end = log.end()
    for tables in log.read("tickets", {}, end):      # {}: from the beginning
        tables["tickets"], tables["tickets__lines"]  # Arrow
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from .ledger import Change, Ledger
from .schema.arrow import EMPTY_LIST, tables_of
from .schema.endpoints import ENDPOINTS
from .schema.memory import Memory
from .settings import ShopSettings

_GATHERED_BYTES = 16_000_000
"""Size up to which pieces wait for more: dlt works out the columns of each table given to it."""

NO_ROW = -1
"""``_dlt_list_idx`` of the row that says of a nested list that it is empty now."""

Offsets = Mapping[str, int]
"""Shop -> number up to which a destination has read; a shop that is not named: from the start."""
Tables = dict[str, pa.Table]


class _Part(NamedTuple):
    """What a destination is to read of one list of one shop."""

    shop: str
    name: str
    after: int
    variant: Mapping[str, str]


class LoggedRow(NamedTuple):
    """A row of the log by its number and names."""

    seq: int
    shop: str
    name: str
    id: str
    is_refused: bool


class ChangeLog:
    """See the module."""

    def __init__(self, ledger: Ledger, shops: Sequence[ShopSettings]) -> None:
        self._ledger = ledger
        self._zones = {shop.name: shop.zone for shop in shops}
        self._settled: dict[str, set[str]] = {}
        """Table being read -> shops whose values mean one thing since."""

    def end(self) -> int:
        """Number of the newest change."""
        return self._ledger.last_change()

    def token(self) -> str:
        """What a destination keeps with its offsets."""
        return self._ledger.token()

    def knows(self, token: str | None, offsets: Offsets) -> bool:
        """Whether offsets kept with ``token`` are of this ledger, as it is now."""
        return self._ledger.knows(token, max(offsets.values(), default=0))

    def changed(self, offsets: Offsets) -> list[str]:
        """Tables that changed since a destination stood at ``offsets``."""
        return [
            table
            for table in ENDPOINTS
            if any(
                self._ledger.select("has_changes", shop=part.shop, list=part.name, after=part.after)
                for part in self._parts(table, offsets)
            )
        ]

    def advanced(self, offsets: Offsets, end: int) -> dict[str, int]:
        """The offsets of a destination that has read up to ``end``."""
        read = {shop: max(end, offsets.get(shop, 0)) for shop in self._zones}
        return dict(offsets) | read

    def read(
        self,
        table: str,
        offsets: Offsets,
        end: int,
        *,
        nested: Iterable[str] = (),
        holds_rows: bool = False,
    ) -> Iterator[Tables]:
        """A list's rows after ``offsets`` up to ``end``, as Arrow tables of some 16 MB.

        Nested lists stand beside their table; one that is empty and may not have been so at the
        destination has a row whose ``_dlt_list_idx`` is :data:`NO_ROW`. ``nested`` names tables of
        nested lists that the destination has, declared or not; ``holds_rows`` says that it may have
        any of the rows. A row that cannot be cleaned stands whole in ``_unreadable``.
        """
        nested = tuple(nested)
        yield from _gathered(
            found
            for part in self._parts(table, offsets)
            for changes in self._ledger.changes(part.shop, part.name, part.after, end)
            if (found := self._tables(table, part, changes, nested, holds_rows))
        )
        # Values that were refused can be read now: the next reading gets all rows once more.
        for shop in self._settled.pop(table, ()):
            for name in ENDPOINTS[table].resources:
                self._ledger.tell_again(shop, name)

    def rows(self, table: str, offsets: Offsets, end: int) -> Iterator[LoggedRow]:
        """What :meth:`read` would give, by names."""
        for part in self._parts(table, offsets):
            for changes in self._ledger.changes(part.shop, part.name, part.after, end):
                for change in changes:
                    yield LoggedRow(change.seq, part.shop, part.name, change.id, change.is_refused)

    def marks(self, table: str, offsets: Offsets, end: int) -> Iterator[tuple[str, str, datetime]]:
        """(shop, id, since when gone) of rows that only a destination still holds."""
        for part in self._parts(table, offsets):
            span = {"shop": part.shop, "list": part.name, "after": part.after, "until": end}
            for identity, at in self._ledger.select("marks", **span):
                yield part.shop, identity, datetime.fromisoformat(at)

    def _parts(self, table: str, offsets: Offsets) -> Iterator[_Part]:
        endpoint = ENDPOINTS[table]
        for shop in self._zones:
            for name, variant in zip(endpoint.resources, endpoint.variants or ({},), strict=True):
                yield _Part(shop, name, offsets.get(shop, 0), variant)

    # -- tables -----------------------------------------------------------------------------------

    def _tables(
        self,
        table: str,
        part: _Part,
        changes: Sequence[Change],
        nested: Iterable[str],
        holds_rows: bool,
    ) -> Tables:
        found = self._tables_of(table, part, changes)
        known = {change.id for change in changes} if holds_rows else set()
        missing = {name: EMPTY_LIST for name in nested if name not in found} if known else {}
        return _with_empty_lists(table, found | missing, known)

    def _tables_of(self, table: str, part: _Part, changes: Sequence[Change]) -> Tables:
        """By what the list has shown so far; the ledger keeps it."""
        name = f"memory:{table}"
        kept = self._ledger.value("", name)
        memory = Memory.of(kept)
        zone = self._zones[part.shop]
        found = tables_of(table, changes, part.shop, zone, variant=part.variant, memory=memory)
        if memory.text() != kept:
            self._ledger.set_value("", name, memory.text())
            before = Memory.of(kept).settled
            settled = {s for s, count in memory.settled.items() if count != before.get(s)}
            self._settled.setdefault(table, set()).update(settled)
        return found


def _gathered(pieces: Iterable[Tables]) -> Iterator[Tables]:
    """Pieces as fewer tables: dlt does much for each, and for small shops each is a job."""
    waiting: list[Tables] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += sum(found.nbytes for found in piece.values())
        if size >= _GATHERED_BYTES:
            yield _joined(waiting)
            waiting, size = [], 0
    if waiting:
        yield _joined(waiting)


def _joined(pieces: list[Tables]) -> Tables:
    names = dict.fromkeys(name for piece in pieces for name in piece)
    found = {name: [piece[name] for piece in pieces if name in piece] for name in names}
    return {n: pa.concat_tables(t, promote_options="default") for n, t in found.items()}


def _with_empty_lists(table: str, found: Tables, known: set[str]) -> Tables:
    """Add to each nested list a row for every known row of the table that has none in it."""
    if not known:
        return found
    top = found[table]
    rows = top.filter(pc.is_in(top["id"], pa.array(sorted(known), pa.string())))
    for name, nested in found.items():
        if name == table:
            continue
        empty = rows.filter(pc.invert(pc.is_in(rows["_dlt_id"], nested["_dlt_root_id"])))
        if not empty.num_rows:
            continue
        identity = empty["_dlt_id"]
        values = {
            "shop_id": empty["shop_id"],
            "parent_id": empty["id"],
            "_dlt_id": pc.binary_join_element_wise(identity, pa.scalar("none"), ":"),
            "_dlt_parent_id": identity,
            "_dlt_root_id": identity,
            "_dlt_list_idx": pa.array([NO_ROW] * empty.num_rows, pa.int64()),
        }
        columns = [
            values.get(field.name, pa.nulls(empty.num_rows, field.type)) for field in nested.schema
        ]
        found[name] = pa.concat_tables([nested, pa.table(columns, schema=nested.schema)])
    return found
