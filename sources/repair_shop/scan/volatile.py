"""Fields that a service fills anew with each answer, though nobody edited the row.

Such a field would make every row an edited one, and every night a full reading. So where all known
rows of a page seem edited in a field that nobody declared, the page is asked once more. A field
that differs again, seconds later, in all of them is no edit. A bulk edit does not differ twice.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ..ledger import Ledger
from ..schema.digest import Path, digest
from ..schema.endpoints import ENDPOINTS
from ..schema.names import snake_case
from ..schema.shapes import Table

_NOTE = "volatile:"
"""Note of a shop: the fields of a list that differ with each answer."""
_FEWEST = 5
"""Rows in which a field must differ."""

Row = Mapping[str, Any]


class Volatile:
    """The fields of a shop's list that are not compared."""

    def __init__(self, ledger: Ledger, shop: str, name: str) -> None:
        self._ledger, self._shop, self._list = ledger, shop, name
        self._table = ENDPOINTS[name.partition(":")[0]].shape
        text = ledger.value(shop, _NOTE + name)
        self._paths = frozenset(map(tuple, json.loads(text))) if text else frozenset[Path]()
        self._is_asked = False

    @property
    def words(self) -> str:
        """The fields, for people; empty where there is none."""
        return ", ".join(sorted(map(".".join, self._paths)))

    def digest(self, row: Row) -> bytes:
        """Digest of what is compared of a row."""
        return digest(row, self._paths)

    def learn(
        self, ids: Sequence[str], rows: Sequence[Row], ask: Callable[[], Sequence[Row]]
    ) -> None:
        """Hold an answer against what is known of its rows; ``ask`` asks for it once more.

        Asked once for each scan at most.
        """
        if self._is_asked or len(rows) < _FEWEST:
            return
        known = self._ledger.contents(self._shop, self._list, ids)
        differ = self._differing(
            (known[i], row) for i, row in zip(ids, rows, strict=True) if i in known
        )
        suspects = {path for path in differ if not _is_declared(path, self._table)}
        if not suspects:
            return
        self._is_asked = True
        again = ask()
        if len(again) == len(rows):
            found = suspects & self._differing(zip(rows, again, strict=True))
            if found:
                self._keep(self._paths | found)

    def _differing(self, pairs: Iterator[tuple[Row, Row]]) -> set[Path]:
        """The fields that differ in each pair of rows of one id, of enough pairs."""
        found: set[Path] | None = None
        many = 0
        for before, now in pairs:
            if before.get("id") != now.get("id"):
                continue
            many += 1
            differ = set(_differing(before, now, ())) - self._paths
            found = differ if found is None else found & differ
            if not found:
                return set()
        return found if found and many >= _FEWEST else set()

    def _keep(self, paths: frozenset[Path]) -> None:
        """From now on these are not compared, nor in what was known before."""
        self._paths = paths
        self._ledger.digest_again(self._shop, self._list, partial(digest, volatile=paths))
        text = json.dumps(sorted(paths))
        self._ledger.set_value(self._shop, _NOTE + self._list, text)


def _differing(before: Row, now: Row, path: Path) -> Iterator[Path]:
    """Where two objects have values that differ."""
    for key in before.keys() & now.keys():
        one, other, here = before[key], now[key], (*path, key)
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            yield from _differing(one, other, here)
        elif one != other and digest({key: one}) != digest({key: other}):
            yield here  # an address that is signed anew has one digest, and its edits count


def _is_declared(path: Path, table: Table) -> bool:
    """Whether a field is one that the list's rows are known to have, or a list of such rows."""
    names = [snake_case(name) for name in path]
    return "__".join(names) in table.spelled or (len(names) == 1 and names[0] in table.fields)
