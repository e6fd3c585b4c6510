"""What the answers of a list have shown so far, which decides how later rows are read.

Two things. *Columns*: fields that nobody declared become columns. But an object whose fields are
ids would make one for each id, and a load needs memory for each; so only the first of them do.
*Spelling*: ``1.234`` and ``07/05/2026`` mean two things. One value of the column that means one
thing (``12.50``, ``07/16/2026``) decides for all; where the column has shown nothing, the other
columns of its kind do, if they agree. Money with a comma before its cents says nothing of
quantities: those of a database are ``2.000``. What was refused is to be read again once decided.
"""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

MOST_COLUMNS = 200
"""Columns of a table that nobody declared; what further ones say is kept in ``_unreadable``."""


@dataclass
class Memory:
    """Of one list, for all shops. Kept with the ledger as JSON."""

    columns: dict[str, list[str]] = field(default_factory=dict)
    """Table -> columns that nobody declared, in the order in which they were met."""
    shown: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    """Shop -> ``amount:table.column`` (or ``number:``, ``day:``) -> what unambiguous values showed:
    signs of decimals, orders of days."""
    refused: dict[str, list[str]] = field(default_factory=dict)
    """Shop -> columns of which ambiguous values were refused."""
    settled: dict[str, int] = field(default_factory=dict)
    """Shop -> how often such a column was decided later: rows read before are to be read again."""

    @classmethod
    def of(cls, text: str | None) -> "Memory":
        """What :meth:`text` gave; nothing yet for None."""
        return cls(**json.loads(text)) if text else cls()

    def text(self) -> str:
        """As JSON; the same for the same content."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)

    def admits(self, table: str, column: str) -> bool:
        """Whether a field that nobody declared is, or becomes, a column of the table."""
        known = self.columns.setdefault(table, [])
        if column not in known:
            if len(known) >= MOST_COLUMNS:
                return False
            known.append(column)
        return True

    def show(self, shop: str, column: str, sign: str | None) -> None:
        """Note what a value has shown, if anything."""
        if sign is not None:
            known = self.shown.setdefault(shop, {}).setdefault(column, [])
            if sign not in known:
                known.append(sign)

    def decides(self, shop: str, column: str) -> Any:
        """What a column has shown, else the list's others of its kind; None if it is not one."""
        known = self.shown.get(shop, {}).get(column) or self._of_kind(shop, column)
        if not known and column.startswith("number:"):
            money = self._of_kind(shop, "amount:")
            known = [] if "," in money else money
        return known[0] if len(set(known)) == 1 else None

    def _of_kind(self, shop: str, column: str) -> list[str]:
        kind = column.partition(":")[0]
        shown = self.shown.get(shop, {}).items()
        return [sign for name, signs in shown if name.startswith(f"{kind}:") for sign in signs]

    def refuse(self, shop: str, column: str) -> None:
        """Note that an ambiguous value was refused."""
        if column not in self.refused.setdefault(shop, []):
            self.refused[shop].append(column)

    def settle(self, shop: str) -> None:
        """Note which of the refused columns are decided now: see :attr:`settled`."""
        refused = self.refused.get(shop, [])
        left = [column for column in refused if self.decides(shop, column) is None]
        if len(left) < len(refused):
            self.refused[shop] = left
            self.settled[shop] = self.settled.get(shop, 0) + 1
