"""The ledger as a log that any number of destinations read, each from where it stopped.

A destination's place in a list is an :class:`Offset`, kept by the destination itself (in dlt's
state, committed with the load). Entries of the log are answers (``pages.seq``) and deletions
(``tombstones.n``), both numbered upwards for good. Of a row that was answered many times the log
gives the newest content alone, from the first answer that showed it (``seen.changed``): so one
reading never holds a row twice, nothing older comes after something newer, and a page that nothing
is taken from any more need not be kept.

::

    log = Log(ledger, shops)
    end = log.end()
    for tables in log.read("tickets", {}, end):      # {}: from the beginning
        tables["tickets"], tables["tickets__lines"]  # Arrow
"""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from .errors import first_line
from .held import Held
from .ledger import Ledger, StoredPage
from .ledger.aside import set_aside
from .scan.jobs import full_watermark
from .schema.arrow import EMPTY_LIST, tables_of
from .schema.endpoints import ENDPOINTS
from .schema.memory import Memory
from .settings import ShopSettings

SLICE_PAGES = 50
"""Pages that become tables at a time: some 2,500 rows, so memory does not grow with the list."""

_FAR_PAGES = 10_000
"""Answers of all lists that should not be looked through twice."""

_GATHERED_BYTES = 16_000_000
"""Size up to which pieces wait for more: dlt works out the columns of each table given to it."""

NO_ROW = -1
"""``_dlt_list_idx`` of the row that says of a nested list that it is empty now."""


@dataclass(frozen=True, order=True)
class Offset:
    """How far a destination has read one list of one shop: the last answer, the last deletion."""

    page: int = 0
    tombstone: int = 0


Offsets = Mapping[str, Offset]
"""Shop -> offset; a shop that is not named is read from the beginning."""

_FAR = Offset(2**62, 2**62)  # behind every end of a log


@dataclass(frozen=True)
class _Part:
    """What a destination is to read of one list of one shop."""

    table: str
    shop: str
    resource: str
    since: Offset
    end: Offset

    @property
    def variant(self) -> tuple[str, str] | None:
        """(column, value) that tells the lists of one table apart."""
        value = self.resource.partition(":")[2]
        return (ENDPOINTS[self.table].variant_columns[0], value) if value else None


@dataclass(frozen=True)
class _Entry:
    """A page of the log, and which of its rows are to be loaded."""

    seq: int
    wanted: tuple[bool, ...]
    gone: Mapping[str, str]
    """Id -> since when it is gone, of rows that are."""
    known: frozenset[str]
    """Ids that the destination may hold already."""


class Log:
    """See the module. ``held`` is a warehouse that may hold what the ledger no longer keeps."""

    def __init__(
        self, ledger: Ledger, shops: Sequence[ShopSettings], warehouse: Path | None = None
    ) -> None:
        self._ledger = ledger
        self._zones = {shop.name: shop.zone for shop in shops}
        self._held = Held(warehouse)
        self._token: str | None = None
        self._end = Offset()

    def end(self) -> Offset:
        """Where the log ends now. Deletions that were found since become entries of it."""
        self._ledger.log_deletions()
        end = Offset(self._ledger.last_seq(), self._ledger.last_tombstone())
        if end != self._end:
            # A copy of the ledger that has a token has all that was loaded under it.
            self._token, self._end = None, end
        return end

    def lists_with_rows(self, seqs: Iterable[int]) -> dict[str, list[int]]:
        """Of these answers those that hold a row as it is now, by list."""
        found: dict[str, list[int]] = {}
        for seq, shop, resource, ids in self._ledger.pages_named(seqs):
            if self._ledger.shows_current(shop, resource, seq, ids):
                found.setdefault(resource.partition(":")[0], []).append(seq)
        return found

    def lists_with_tombstones(self, after: int) -> list[str]:
        """Lists with deletions after that number, of these shops."""
        resources = self._ledger.lists_with_tombstones(after, self._zones)
        return list(dict.fromkeys(one.partition(":")[0] for one in resources))

    def read(
        self,
        table: str,
        offsets: Offsets,
        end: Offset,
        *,
        nested: Iterable[str] = (),
        holds_rows: bool = False,
    ) -> Iterator[dict[str, pa.Table]]:
        """A list's rows after ``offsets`` up to ``end``, as tables of some 10,000 rows.

        Nested lists stand beside their table; one that is empty and may not have been so at the
        destination has a row whose ``_dlt_list_idx`` is :data:`NO_ROW`. ``nested`` names tables of
        nested lists that the destination has, declared or not; ``holds_rows`` says that it has rows
        of more than the offsets tell. A page that cannot become tables is set aside.
        """
        yield from _gathered(
            tables
            for part in self._parts(table, offsets, end)
            for tables in self._read(part, nested, holds_rows)
        )

    def _read(
        self, part: _Part, nested: Iterable[str], holds_rows: bool
    ) -> Iterator[dict[str, pa.Table]]:
        entries = self._entries(part)
        while chunk := list(islice(entries, SLICE_PAGES)):
            yield from self._tables(part.table, chunk, nested, holds_rows)
        if pruned := self._pruned(part):
            yield from self._held.tables(part.table, part.shop, part.variant, pruned)
        yield from self._gone(part)

    def has_only_new(self, table: str, offsets: Offsets, end: Offset, *, goes_on: bool) -> bool:
        """Whether a destination that stands at ``offsets`` has none of the rows up to ``end``.

        Asked while a list is read or loaded for the first time (``goes_on``: the load before had
        only new ones, too): later some row is known, and finding none takes time.
        """
        parts = list(self._parts(table, offsets, end))
        is_first = (
            goes_on
            or all(part.since == Offset() for part in parts)
            or any(self._ledger.value(p.shop, full_watermark(p.resource)) is None for p in parts)
        )
        return is_first and not any(
            self._ledger.has_known(
                part.shop, part.resource, part.since.page, part.since.tombstone, end.tombstone
            )
            or self._pruned(part)
            for part in parts
        )

    def ids(self, table: str, offsets: Offsets, end: Offset) -> Iterator[tuple[str, list[str]]]:
        """Shop -> ids of the rows of a list that were answered after ``offsets``, up to ``end``."""
        for p in self._parts(table, offsets, end):
            yield p.shop, self._ledger.ids_between(p.shop, p.resource, p.since.page, end.page)

    def missing(self, table: str, offsets: Offsets) -> list[str]:
        """Shops whose rows after ``offsets`` are neither kept nor in a warehouse at hand."""
        return [
            part.shop
            for part in self._parts(table, offsets, _FAR)
            if (pruned := self._pruned(part))
            and pruned - self._held.ids(table, part.shop, part.variant)
        ]

    def ask_again(self, table: str, shop: str) -> None:
        """Have the next run read a list whole, whose answers are no longer kept."""
        self._ledger.drop_values(shop, map(full_watermark, ENDPOINTS[table].resources))

    # -- a destination's place ------------------------------------------------------------------

    def token(self) -> str:
        """What a destination keeps with its offsets, to tell later that they are of this ledger."""
        if self._token is None:
            self._token = uuid.uuid4().hex
            self._ledger.note_token(self._token)
        return self._token

    def knows(self, token: str | None) -> bool:
        """Whether offsets kept with ``token`` are of this ledger, as it is now.

        Not of another one, and not of later than this one was restored to.
        """
        return token is not None and self._ledger.knows_token(token)

    def advanced(self, offsets: Offsets, end: Offset) -> dict[str, Offset]:
        """The offsets of a destination that has read up to ``end``."""
        return dict(offsets) | {
            shop: Offset(max(since.page, end.page), max(since.tombstone, end.tombstone))
            for shop, since in self._since(offsets)
        }

    def is_far(self, offsets: Offsets, end: Offset) -> bool:
        """Whether so much lies between that it should not be looked through again."""
        return any(end.page - since.page > _FAR_PAGES for _, since in self._since(offsets))

    # -- entries --------------------------------------------------------------------------------

    def _since(self, offsets: Offsets) -> Iterator[tuple[str, Offset]]:
        for shop in self._zones:
            yield shop, offsets.get(shop, Offset())

    def _parts(self, table: str, offsets: Offsets, end: Offset) -> Iterator[_Part]:
        for shop, since in self._since(offsets):
            for resource in ENDPOINTS[table].resources:
                yield _Part(table, shop, resource, since, end)

    def _entries(self, part: _Part) -> Iterator[_Entry]:
        """The pages of a part that hold a row as it is now."""
        after, until = part.since.page, part.end.page
        for seq, ids in self._ledger.pages_between(part.shop, part.resource, after, until):
            rows = self._ledger.current_rows(part.shop, part.resource, seq, ids)
            if rows:
                yield _Entry(
                    seq,
                    tuple(identity in rows for identity in ids),
                    {i: at for i, (at, _) in rows.items() if at is not None},
                    frozenset(i for i, (_, first) in rows.items() if first <= after),
                )

    # -- tables ---------------------------------------------------------------------------------

    def _tables(
        self, table: str, entries: Sequence[_Entry], nested: Iterable[str], holds_rows: bool
    ) -> Iterator[dict[str, pa.Table]]:
        wanted = {entry.seq: entry.wanted for entry in entries}
        pages = [
            replace(page, kind="", fresh=wanted[page.seq])
            for page in self._ledger.stored_pages(list(wanted))
        ]
        gone = {i: at for entry in entries for i, at in entry.gone.items()}
        known = {
            i
            for entry, page in zip(entries, pages, strict=True)
            for i in (page.ids if holds_rows else entry.known)
        }
        try:
            found = self._tables_of(table, pages)
        except Exception:  # noqa: BLE001 - which page it is, and what ails it, is found out below
            found = self._tables_of(table, self._good(pages))
        if table in found:
            found[table] = _marked(found[table], gone)
            missing = {name: EMPTY_LIST for name in nested if name not in found} if known else {}
            yield _with_empty_lists(table, found | missing, known)

    def _tables_of(self, table: str, pages: Sequence[StoredPage]) -> dict[str, pa.Table]:
        """By what the list has shown so far; the ledger keeps it."""
        name = f"memory:{table}"
        kept = self._ledger.value("", name)
        memory = Memory.of(kept)
        found = tables_of(pages, self._zones, memory)
        if memory.text() != kept:
            self._ledger.set_value("", name, memory.text())
        return found

    def _good(self, pages: Sequence[StoredPage]) -> list[StoredPage]:
        good: list[StoredPage] = []
        for page in pages:
            try:
                tables_of([page], self._zones)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is this page's
                set_aside(self._ledger, page, first_line(error))
            else:
                good.append(page)
        return good

    def _gone(self, part: _Part) -> Iterator[dict[str, pa.Table]]:
        """Rows that went since: as the destination holds them, with ``_deleted_at``."""
        table, since = part.table, part.since
        rows = self._ledger.tombstones(
            part.shop, part.resource, since.tombstone, part.end.tombstone, since.page
        )
        for start in range(0, len(rows), 1000):
            gone = {identity: at for identity, at, _ in rows[start : start + 1000]}
            of_page: dict[int, set[str]] = {}
            for identity, _, seq in rows[start : start + 1000]:
                of_page.setdefault(seq, set()).add(identity)
            pages = [
                replace(page, kind="", fresh=tuple(i in of_page[page.seq] for i in page.ids))
                for page in self._ledger.stored_pages(list(of_page))
            ]
            found = self._tables_of(table, pages).get(table)
            told = set(found["id"].to_pylist()) if found is not None else set()
            if found is not None:
                yield {table: _marked(found, gone)}
            if rest := set(gone) - told:
                for held in self._held.tables(table, part.shop, part.variant, rest, nested=False):
                    yield {table: _marked(held[table], gone)}

    # -- what is no longer kept -----------------------------------------------------------------

    def _pruned(self, part: _Part) -> set[str]:
        """Ids of a part's rows whose answer is no longer kept."""
        after, until = part.since.page, part.end.page
        if self._ledger.keeps_all_since(after):
            return set()  # as nearly always
        return self._ledger.pruned_rows(part.shop, part.resource, after, until)


def _gathered(pieces: Iterable[dict[str, pa.Table]]) -> Iterator[dict[str, pa.Table]]:
    """Pieces as fewer tables: dlt does much for each, and for small shops each is a job."""
    waiting: list[dict[str, pa.Table]] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += sum(found.nbytes for found in piece.values())
        if size >= _GATHERED_BYTES:
            yield from _joined(waiting)
            waiting, size = [], 0
    yield from _joined(waiting)


def _joined(pieces: list[dict[str, pa.Table]]) -> list[dict[str, pa.Table]]:
    if len(pieces) < 2:
        return pieces
    names = dict.fromkeys(name for piece in pieces for name in piece)
    found = {name: [piece[name] for piece in pieces if name in piece] for name in names}
    try:
        return [{n: pa.concat_tables(t, promote_options="default") for n, t in found.items()}]
    except pa.ArrowException:  # rows that a warehouse held may be of other types
        return pieces


def _marked(rows: pa.Table, gone: Mapping[str, str]) -> pa.Table:
    """The rows with ``_deleted_at`` of those that are gone."""
    if not gone:
        return rows
    at = [
        datetime.fromisoformat(gone[identity]) if identity in gone else None
        for identity in rows["id"].to_pylist()
    ]
    place = rows.schema.get_field_index("_deleted_at")
    field = rows.schema.field(place)
    return rows.set_column(place, field, pa.array(at, field.type))


def _with_empty_lists(
    table: str, found: dict[str, pa.Table], known: set[str]
) -> dict[str, pa.Table]:
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
        said = {
            "shop_id": empty["shop_id"],
            "parent_id": empty["id"],
            "_dlt_id": pc.binary_join_element_wise(identity, pa.scalar("none"), ":"),
            "_dlt_parent_id": identity,
            "_dlt_root_id": identity,
            "_dlt_list_idx": pa.array([NO_ROW] * empty.num_rows, pa.int64()),
        }
        columns = [
            said.get(field.name, pa.nulls(empty.num_rows, field.type)) for field in nested.schema
        ]
        found[name] = pa.concat_tables([nested, pa.table(columns, schema=nested.schema)])
    return found
