"""What the ledger keeps beside rows: runs, the state of each list, notes."""

import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from ..ledger.file import LedgerFile
from ..ledger.records import day_of_text, now_text

_RUN = "run_id command started_at ended_at outcome exit_code requests rows message shops".split()


@dataclass(frozen=True)
class ListState:
    """What is known of a list of a shop: the table's columns, in their order. Days: from which the
    next scan of a kind goes on."""

    whole_on: date | None = None
    """When it was read whole; None: it never was."""
    new_on: date | None = None
    updated_on: date | None = None
    paid_on: date | None = None
    hidden_on: date | None = None
    categories_on: date | None = None
    page_rows: int | None = None
    """Rows of its pages, where these are not fifty."""


class State(LedgerFile):
    """The tables ``runs``, ``lists`` and ``notes``."""

    # -- runs -----------------------------------------------------------------------------------

    def begin_run(self, command: str) -> int:
        """Note that a run began; runs that never ended were killed, and are told so."""
        with self.transaction():
            at = now_text()
            self.write("note_killed_runs", at=at)
            self.write("begin_run", command=command, at=at, token=secrets.token_hex(16))
            return self.newest_run()

    def end_run(self, run_id: int, *, detail: Mapping[str, Any], **ended: Any) -> None:
        """Note how a run ended, by the columns of its table."""
        told = json.dumps(detail, default=str)
        self.write("end_run", run_id=run_id, at=now_text(), detail=told, **ended)

    def last_runs(self, limit: int = -1) -> list[dict[str, Any]]:
        """The newest runs (by default all), newest first, with the columns of ``ops.runs``.

        With a ``limit`` also ``shops``: those that it left incomplete, None if all or nobody knows.
        """
        return [dict(zip(_RUN, row, strict=True)) for row in self.select("last_runs", limit=limit)]

    def newest_run(self) -> int:
        """Number of the newest run, 0 before the first."""
        return int(self.one("newest_run") or 0)

    def first_unfinished(self) -> int | None:
        """The first of the newest readings that were all stopped or killed, None if none."""
        first: int | None = None
        for run_id, outcome in self.select("outcomes"):
            if outcome not in ("killed", "stopped"):
                break
            first = int(run_id)
        return first

    # -- a destination's place --------------------------------------------------------------------

    def last_seq(self) -> int:
        """Number of the newest answer or deletion, 0 before the first."""
        return int(self.one("meta", name="seq"))

    def last_change(self) -> int:
        """Number of the newest answer or deletion that changed a row: the end of the log."""
        return int(self.one("meta", name="changed"))

    def token(self) -> str:
        """What a destination keeps with its offsets, to tell later that they are of this ledger."""
        rows = self.select("newest_run")
        return str(rows[0][1] if rows else self.one("meta", name="ledger_id"))

    def knows(self, token: str | None, offset: int) -> bool:
        """Whether a destination's offset is of this ledger, as it is now.

        Not of another one, nor of later than this one was restored to.
        """
        if token is None:
            return False
        last = self.last_seq()
        if token == self.one("meta", name="ledger_id"):
            return offset <= last
        found = self.select("end_of_token", token=token)
        return bool(found) and offset <= (last if found[0][0] is None else found[0][0])

    # -- lists ------------------------------------------------------------------------------------

    def list_state(self, shop: str, name: str) -> ListState:
        """What is known of a list."""
        for _, _, *days, page_rows in self.select("list_state", shop=shop, list=name):
            found: list[Any] = [*map(day_of_text, days), page_rows]
            return ListState(*found)
        return ListState()

    def set_list(self, shop: str, name: str, **values: Any) -> None:
        """Keep some of what is known of a list; days as dates."""
        with self.transaction():
            self.write("add_list", shop=shop, list=name)
            for column, value in values.items():
                kept = value.isoformat() if isinstance(value, date) else value
                assert column in ListState.__dataclass_fields__
                self.query(
                    f"UPDATE lists SET {column} = ? WHERE shop = ? AND list = ?",
                    (kept, shop, name),
                )

    def is_whole(self, shop: str, name: str) -> bool:
        """Whether a list was read whole once."""
        return self.list_state(shop, name).whole_on is not None

    def ask_again(self, shop: str, names: Iterable[str]) -> None:
        """Have the next run read lists whole."""
        for name in names:
            self.set_list(shop, name, whole_on=None)

    # -- notes ---------------------------------------------------------------------------------

    def value(self, shop: str, name: str) -> str | None:
        """A note of a shop, or None; of none in particular under the shop ``""``."""
        found = self.one("note", shop=shop, name=name)
        return None if found is None else str(found)

    def set_value(self, shop: str, name: str, value: str) -> None:
        """Keep a note of a shop."""
        self.write("set_note", shop=shop, name=name, value=value)

    def drop_value(self, shop: str, name: str) -> None:
        """Keep a note of a shop no longer."""
        self.write("drop_note", shop=shop, name=name)

    def names_of_values(self, shop: str, prefix: str) -> list[str]:
        """Names of a shop's notes that begin so."""
        return [row[0] for row in self.select("names_of_notes", shop=shop, prefix=prefix)]

    def prune(self, now: datetime) -> None:
        """Drop what runs of more than a year ago told in detail, and scans that are nobody's newest
        evidence. A destination keeps the token of the run that loaded a list last, however old."""
        year = now_text(now - timedelta(days=366))
        with self.transaction():
            self.write("prune_runs", year=year)
            self.write("prune_scans", year=year)
