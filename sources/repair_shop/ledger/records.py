"""What goes into the ledger and comes out of it."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, NamedTuple

import orjson

from ..http.json_body import parse_json

UNLISTED = "-"
"""Slice of rows that exist by their own paths, or under a filter, and that no list shows."""
KEPT = "?"
"""In place of a slice: the row's stays as it is."""
_WINDOW = -14
"""Of zlib: without a header, looking 16 KiB back."""


class ScanState(StrEnum):
    """Where a scan stands: open until it is closed as one of the others, which is for good."""

    OPEN = "open"
    PROVEN = "proven"
    """It showed that it read its list, or its days, whole."""
    UNPROVEN = "unproven"
    DROPPED = "dropped"
    """It was cut off and made anew; it is no evidence of anything."""


@dataclass(frozen=True, slots=True)
class Scan:
    """One pass over a list or over a part of it."""

    scan_id: int
    shop: str
    list: str
    kind: str
    opened_at: datetime
    began_seq: int
    """Number of the first answer since it was opened: rows not seen from then on, it did not
    show."""
    run_id: int


@dataclass(frozen=True, slots=True)
class Page:
    """What a scan needs to know of one answered page. A day is None where a row has none."""

    ids: tuple[str, ...]
    days: tuple[date | None, ...]
    changed: tuple[bool, ...]
    """Per row: new to us, or changed since it was last read."""

    @property
    def size(self) -> int:
        """Rows on the page."""
        return len(self.ids)


class Row(NamedTuple):
    """One row of an answer. ``content`` is what the service said, ``shown`` the slice asked."""

    id: str
    day: date | None
    digest: bytes
    content: Mapping[str, Any]
    is_open: bool = False
    shown: str = ""


class KnownRow(NamedTuple):
    """What is known of a row, by default nothing."""

    seen: int | None = None
    """Number of the answer that showed it last."""
    day: date | None = None
    is_deleted: bool = False
    missed_in: int | None = None
    """The run in which its own path said first that it is gone."""
    seq: int = 0
    """Number of its newest change."""


class Change(NamedTuple):
    """A row as the log tells it to a destination."""

    id: str
    seq: int
    seen_at: datetime
    deleted_at: datetime | None
    is_refused: bool
    """A destination could not take its values: it is told as text, whole."""
    body: bytes
    """Its content as JSON."""

    def content(self) -> dict[str, Any]:
        """What is to be told of it."""
        if self.is_refused:
            return {"id": self.id, "_unreadable": self.body.decode("utf-8", "replace")}
        row: dict[str, Any] = parse_json(self.body)
        return row


def now_text(moment: datetime | None = None) -> str:
    """A moment (by default now) as the ledger writes it."""
    return (moment or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="microseconds")


def day_of_text(text: str | None) -> date | None:
    """A day as the ledger writes it, None where there is none."""
    return date.fromisoformat(text) if text else None


def day_text(day: date | None) -> str | None:
    """A day as the ledger writes it, None where there is none."""
    return None if day is None else day.isoformat()


def page_of(summary: str) -> Page:
    """A page as it was stored."""
    ids, days, changed = orjson.loads(summary)
    return Page(tuple(ids), tuple(map(day_of_text, days)), tuple(changed))


def packed(body: bytes, dictionary: bytes) -> bytes:
    """A row's JSON, packed with what the first rows of its list had in common: names, mostly."""
    packer = zlib.compressobj(6, zlib.DEFLATED, _WINDOW, 5, zdict=dictionary)
    return packer.compress(body) + packer.flush()


def unpacked(body: bytes, dictionary: bytes) -> bytes:
    """A row's JSON."""
    packer = zlib.decompressobj(_WINDOW, zdict=dictionary)
    return packer.decompress(body) + packer.flush()


def row_json(row: Mapping[str, Any]) -> bytes:
    """A row as JSON that reads as it was: fractions keep their digits."""
    return orjson.dumps(row, default=_fragment)


def _fragment(value: Decimal) -> Any:
    return orjson.Fragment(str(value).encode())
