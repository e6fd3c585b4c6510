"""Whether an answer belongs to another list: a cache between us and the service may mix them up.

Its rows then have the fields of that other list. So what each list's rows show is kept: fields that
all of them have, and fields that any of them has. An answer is foreign if it fits another list but
not its own, and shows no row that its own is known to have.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..ledger import Ledger
from ..schema.endpoints import ENDPOINTS
from ..schema.names import snake_case

_NOTE = "shape:"
"""Note of a shop: what the rows of a list show."""
_MAY_DIFFER = 1
"""A field came, or one that all of the few rows seen so far had is left out."""


@dataclass(frozen=True)
class Shape:
    """Fields that every row of a list has, and those that any has."""

    always: frozenset[str]
    ever: frozenset[str]

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]]) -> "Shape":
        """The shape of some rows, at least one."""
        fields = [frozenset(map(snake_case, names)) for names in {tuple(row) for row in rows}]
        return cls(frozenset.intersection(*fields), frozenset.union(*fields))

    def apart(self, known: "Shape") -> int:
        """How many fields speak against rows of this shape being of a list of the ``known`` one."""
        return len(known.always - self.always) + len(self.ever - known.ever)


class Shapes:
    """What the lists of a shop have shown."""

    def __init__(self, ledger: Ledger, shop: str) -> None:
        self._ledger, self._shop = ledger, shop

    def learn(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Take in rows of a list."""
        if not rows:
            return
        known, found = self._known(table), Shape.of(rows)
        now = found
        if known is not None:
            now = Shape(known.always & found.always, known.ever | found.ever)
        if now != known:
            text = json.dumps([sorted(now.always), sorted(now.ever)])
            self._ledger.set_value(self._shop, _NOTE + table, text)

    def is_less(self, table: str, row: Mapping[str, Any]) -> bool:
        """Whether a row lacks a field that all rows of its list have; one that is left out where it
        is empty is none."""
        known = self._known(table)
        return known is not None and not known.always <= set(map(snake_case, row))

    def are_bare(self, name: str, rows: Iterable[Mapping[str, Any]]) -> bool:
        """Whether a row lacks most of the fields that all rows of its list have."""
        known = self._known(name.partition(":")[0])
        always = known.always if known is not None else frozenset[str]()
        fields = (set(map(snake_case, names)) for names in {tuple(row) for row in rows})
        return any(2 * len(always & one) < len(always) for one in fields)

    def is_foreign(self, name: str, rows: Sequence[Mapping[str, Any]], ids: Iterable[str]) -> bool:
        """Whether rows that came for a list are those of another one."""
        if not rows:
            return False
        table, found = name.partition(":")[0], Shape.of(rows)
        own = self._known(table)
        if own is None or found.apart(own) <= _MAY_DIFFER:
            return False
        if any(self._ledger.known_row(self._shop, name, row).seen is not None for row in ids):
            return False

        def fields(of: str) -> int:
            return len(ENDPOINTS[of].shape.fields & found.ever)

        others = (n.removeprefix(_NOTE) for n in self._ledger.names_of_values(self._shop, _NOTE))
        return any(
            (shape := self._known(other)) is not None
            and not found.apart(shape)
            and fields(other) > fields(table)
            for other in others
            if other != table
        )

    def _known(self, table: str) -> Shape | None:
        text = self._ledger.value(self._shop, _NOTE + table)
        return None if text is None else Shape(*map(frozenset, json.loads(text)))
