"""What the ledger holds: its tables, and the records that go in and come out."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

import orjson

_TABLES = """
CREATE TABLE IF NOT EXISTS meta(name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS runs(
  run_id INTEGER PRIMARY KEY, command TEXT NOT NULL, started_at TEXT NOT NULL, ended_at TEXT,
  outcome TEXT, exit_code INTEGER, requests INTEGER NOT NULL DEFAULT 0,
  rows INTEGER NOT NULL DEFAULT 0, message TEXT, detail TEXT);
CREATE TABLE IF NOT EXISTS scans(
  scan_id INTEGER PRIMARY KEY, run_id INTEGER, shop TEXT NOT NULL, resource TEXT NOT NULL,
  kind TEXT NOT NULL, spec TEXT NOT NULL, opened_at TEXT NOT NULL, closed_at TEXT,
  state TEXT NOT NULL DEFAULT 'open', proof TEXT, reason TEXT,
  pages INTEGER NOT NULL DEFAULT 0, rows INTEGER NOT NULL DEFAULT 0,
  first_day TEXT, last_day TEXT);
CREATE INDEX IF NOT EXISTS scans_open ON scans(shop, resource, state);
CREATE TABLE IF NOT EXISTS pages(
  seq INTEGER PRIMARY KEY AUTOINCREMENT, scan_id INTEGER NOT NULL, key TEXT NOT NULL,
  request TEXT NOT NULL, answered_at TEXT NOT NULL, summary TEXT NOT NULL,
  body BLOB, loaded_at TEXT, UNIQUE(scan_id, key));
CREATE INDEX IF NOT EXISTS pages_waiting ON pages(seq) WHERE loaded_at IS NULL;
CREATE TABLE IF NOT EXISTS seen(
  shop TEXT NOT NULL, resource TEXT NOT NULL, id TEXT NOT NULL, day TEXT, digest BLOB NOT NULL,
  seq INTEGER NOT NULL, watched INTEGER NOT NULL DEFAULT 0, deleted_at TEXT,
  PRIMARY KEY(shop, resource, id)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS seen_day ON seen(shop, resource, day);
CREATE TABLE IF NOT EXISTS marks(
  shop TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY(shop, name));
CREATE TABLE IF NOT EXISTS audits(
  shop TEXT NOT NULL, resource TEXT NOT NULL, first_day TEXT NOT NULL, last_day TEXT NOT NULL,
  audited_at TEXT NOT NULL, PRIMARY KEY(shop, resource, first_day));
CREATE TABLE IF NOT EXISTS reports(
  shop TEXT NOT NULL, report TEXT NOT NULL, period TEXT NOT NULL, total TEXT NOT NULL,
  fetched_at TEXT NOT NULL, PRIMARY KEY(shop, report, period));
CREATE TABLE IF NOT EXISTS deletions(
  shop TEXT NOT NULL, resource TEXT NOT NULL, id TEXT NOT NULL, at TEXT NOT NULL,
  applied INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(shop, resource, id));
"""
_LOG = """
ALTER TABLE seen ADD COLUMN changed INTEGER;
ALTER TABLE seen ADD COLUMN first INTEGER;
CREATE TABLE IF NOT EXISTS tombstones(
  n INTEGER PRIMARY KEY AUTOINCREMENT, shop TEXT NOT NULL, resource TEXT NOT NULL,
  id TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS loads(token TEXT PRIMARY KEY, at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS set_aside(
  seq INTEGER PRIMARY KEY, at TEXT NOT NULL, reason TEXT NOT NULL, version TEXT NOT NULL,
  tries INTEGER NOT NULL, is_tried INTEGER NOT NULL DEFAULT 0);
INSERT OR REPLACE INTO meta VALUES ('format', '2');
"""
"""The ledger as a log. ``seen.changed``: number of the answer that first showed the row as it is,
``seen.first``: of the one that first showed it at all; null, of rows from before: not known."""

_TICKS = """
ALTER TABLE scans ADD COLUMN boot TEXT;
ALTER TABLE scans ADD COLUMN ticks REAL;
"""
"""When a scan was opened, by what no setting of the clock changes: the boot and its seconds."""

STEPS = (_TABLES, _LOG, _TICKS)
"""The ledger's migrations. ``meta.format`` is for versions of before they were numbered."""


@dataclass(frozen=True, slots=True)
class Page:
    """What a scan needs to know of one answered page. ``day`` is None where a row has none."""

    ids: tuple[str, ...]
    days: tuple[date | None, ...]
    fresh: tuple[bool, ...]
    """Per row: new to us, or changed since it was last read."""
    number: tuple[str, int] | None = None
    """Field and number of its middle row, where rows are numbered; of pages that tell the end."""

    @property
    def size(self) -> int:
        """Rows on the page."""
        return len(self.ids)


class Row(NamedTuple):
    """One row as the ledger sees it when its page is put away."""

    id: str
    day: date | None
    digest: bytes
    watched: bool = False


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page that waits to be loaded."""

    seq: int
    shop: str
    resource: str
    spec: Mapping[str, Any]
    answered_at: datetime
    request: str
    body: bytes
    kind: str = ""
    """Kind of the scan that asked for it."""
    fresh: tuple[bool, ...] = ()
    """Per row: new, changed or back since its last answer; empty: not known."""
    ids: tuple[str, ...] = ()
    """Per row: its id."""


@dataclass(frozen=True, slots=True)
class Scan:
    """One pass over a list or over a part of it."""

    scan_id: int
    shop: str
    resource: str
    kind: str
    spec: Mapping[str, Any]
    opened_at: datetime


def now_text(moment: datetime | None = None) -> str:
    """A moment (by default now) as the ledger writes it."""
    return (moment or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="microseconds")


def day_of_text(text: str | None) -> date | None:
    """A day as the ledger writes it, None where there is none."""
    return date.fromisoformat(text) if text else None


def page_of(summary: str) -> Page:
    """A page as it was stored."""
    ids, days, fresh = orjson.loads(summary)
    return Page(tuple(ids), tuple(map(day_of_text, days)), tuple(fresh))


def ids_of(summary: str) -> tuple[str, ...]:
    """The ids of a stored page's rows; dates take most of the time of the rest."""
    return tuple(orjson.loads(summary)[0])
