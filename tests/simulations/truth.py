"""The mirror held against the service's own records, read from the service's database directly.

Nothing of the mirror's own cleaning is used: a record is flattened here once more, and each value
is compared by what it means (an amount, a moment, a text), column by column.
"""

import re
from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb

from sandbox import reports
from sandbox.quirks import Quirks
from sandbox.render import as_seen
from sandbox.resources import RESOURCES
from sandbox.store import ShopStore
from sandbox.values import BadValue, parse_moment
from tests.simulations.staff import ODD

Key = tuple[str, str]
"""Table and id of a record."""
Records = dict[Key, dict[str, Any]]
_EMPTY: tuple[Any, ...] = (None, "", {}, [])
TABLES = tuple(name for name in RESOURCES if name != "info")


def records(store: ShopStore, quirks: Quirks) -> Records:
    """Every record of the service that its lists show, with the values that they show."""
    found: Records = {}
    categories = {"0", *store.ids("categories")}
    for table in TABLES:
        for record in store.all(table):
            # The fields of a category that was deleted are on no list any more.
            if table != "custom_fields" or str(record["category_id"]) in categories:
                found[table, str(record["id"])] = as_seen(record, quirks)
    return found


def flat(record: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """A record's values by the names of columns; nested lists are left out."""
    values: dict[str, Any] = {}
    for name, value in record.items():
        # Whether a status is in the pipeline is what most services keep to themselves.
        if name.startswith(("_", ODD)) or name == "in_pipeline" or isinstance(value, list):
            continue
        if isinstance(value, Mapping):
            values |= flat(value, f"{before}{name}__")
        else:
            values[f"{before}{name}"] = value
    return values


def same(theirs: Any, ours: Any, zone: ZoneInfo) -> bool:
    """Whether both mean the same."""
    if theirs in _EMPTY or ours in _EMPTY:
        return theirs in _EMPTY and ours in _EMPTY
    if isinstance(theirs, bool) or isinstance(ours, bool):
        return str(theirs).lower() == str(ours).lower()
    if isinstance(theirs, str) and isinstance(ours, str):
        if theirs == ours:
            return True
        moments = _wall(theirs, zone), _wall(ours, zone)
        if None not in moments:
            return moments[0] == moments[1]
        return theirs.strip() == ours.strip()
    if isinstance(ours, str):
        # Undeclared fields are text as the service said it, sign and commas and all.
        ours = re.sub(r"[^\d.-]", "", ours)
    try:
        return Decimal(str(theirs)) == Decimal(str(ours))
    except InvalidOperation:
        return str(theirs) == str(ours)


def _wall(text: str, zone: ZoneInfo) -> datetime | None:
    """The shop's wall clock of a moment in any of the spellings of the sandbox."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        try:
            moment = parse_moment(text)
        except BadValue:
            return None
    return moment.astimezone(zone).replace(tzinfo=None) if moment.tzinfo else moment


class Raw:
    """What raw holds now: rows and nested rows that are not marked as gone."""

    def __init__(self, warehouse: Path, zone: ZoneInfo) -> None:
        self._zone = zone
        self.compared = 0
        with duckdb.connect(str(warehouse), read_only=True) as database:
            sql = "select table_name from information_schema.tables where table_schema = 'raw'"
            tables = [name for (name,) in database.execute(sql).fetchall()]
            self.rows: Records = {}
            self.doubled: list[Key] = []
            self._children: dict[str, dict[Key, list[dict[str, Any]]]] = {}
            for table in TABLES:
                living = f'select * from raw."{table}" where _deleted_at is null'
                for row in _dicts(database, living):
                    key = table, row["id"]
                    if key in self.rows:
                        self.doubled.append(key)
                    self.rows[key] = row
                for child in tables:
                    # Lists in lists are compared by none of their own: their rows hang on these.
                    if child.startswith(f"{table}__") and "__" not in child[len(table) + 2 :]:
                        held: dict[Key, list[dict[str, Any]]] = {}
                        for row in _dicts(database, f'select * from raw."{child}"'):
                            held.setdefault((table, str(row["parent_id"])), []).append(row)
                        self._children[child] = held

    def differences(self, theirs: Records) -> dict[Key, str]:
        """What is missing, too much or different, in words."""
        found: dict[Key, str] = dict.fromkeys(self.doubled, "held twice")
        for key in theirs.keys() - self.rows.keys():
            found[key] = "missing"
        for key in self.rows.keys() - theirs.keys():
            found[key] = "gone at the service, still held"
        for key in theirs.keys() & self.rows.keys():
            wrong = self._wrong(key, theirs[key])
            if wrong:
                found[key] = "; ".join(wrong)
        return found

    def _wrong(self, key: Key, record: Mapping[str, Any]) -> list[str]:
        held = self.rows[key]
        wrong = []
        for name, value in flat(record).items():
            if name in held:
                self.compared += 1
                if not same(value, held[name], self._zone):
                    wrong.append(f"{name} is {value!r}, held {held[name]!r}")
        for name, value in record.items():
            child = f"{key[0]}__{name}"
            known = child in self._children and not name.startswith(("_", ODD))
            if isinstance(value, list) and known:
                rows = self._children[child].get(key, [])
                self.compared += 1
                if not self._same_rows(value, rows):
                    wrong.append(f"{name} are {len(value)} rows, held {len(rows)} or others")
        return wrong

    def _same_rows(self, theirs: list[Any], ours: list[dict[str, Any]]) -> bool:
        left = list(ours)
        for one in theirs:
            values = flat(one) if isinstance(one, Mapping) else {}
            for row in left:
                if all(same(v, row[n], self._zone) for n, v in values.items() if n in row):
                    left.remove(row)
                    break
            else:
                return False
        return not left


def _dicts(database: duckdb.DuckDBPyConnection, sql: str) -> list[dict[str, Any]]:
    cursor = database.execute(sql)
    names = [column[0] for column in cursor.description or []]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def mart_differences(
    warehouse: Path,
    store: ShopStore,
    quirks: Quirks,
    theirs: Records,
    held: Records,
    excused: set[Key],
) -> list[str]:
    """Figures of the marts that are not the service's; ``excused`` rows may still be old."""
    wrong: list[str] = []
    old_days = {
        str(found.get(key, {}).get(name) or "")[:10]
        for key in excused
        for found in (theirs, held)
        for name in ("created_date", "received_date")
    }
    with duckdb.connect(str(warehouse), read_only=True) as database:
        for name in ("sales", "purchases"):
            days = reports.by_day(name, store, quirks.definition, "2000-01-01", "2100-01-01")
            months: Counter[str] = Counter()
            for day, cents in days.items():
                months[day[:7] + "-01"] += cents
            for kind, expected in (("daily", days), ("monthly", months)):
                column = "day" if kind == "daily" else "month"
                totals = {
                    day.isoformat(): int(total * 100)
                    for day, total in database.execute(
                        f"select {column}, total from marts.{kind}_{name} where total <> 0"
                    ).fetchall()
                }
                # Where no month differs no report tells that a document moved to another day.
                known = old_days if kind == "daily" else set()
                for day in (totals.keys() | expected.keys()) - known:
                    if totals.get(day, 0) != expected.get(day, 0):
                        wrong.append(
                            f"marts.{kind}_{name} {day}: {totals.get(day, 0) / 100}, "
                            f"the service {expected.get(day, 0) / 100}"
                        )
        wrong += _payments(database, theirs, excused)
        wrong += _tickets(database, store, theirs, excused)
    return sorted(wrong)


def _payments(database: duckdb.DuckDBPyConnection, theirs: Records, excused: set[Key]) -> list[str]:
    sql = "select id, amount, day, document_id from marts.payments"
    held = {key: tuple(rest) for key, *rest in database.execute(sql).fetchall()}
    expected = {}
    old = set()
    for (table, key), record in theirs.items():
        if table == "payments":
            day = date.fromisoformat(str(record["date"])[:10])
            expected[key] = (Decimal(str(record["amount"])), day, record.get("_document_id"))
    for table, key in excused:
        if table == "payments":
            old.add(key)
        elif table in ("ticket_invoices", "pos_orders", "tickets"):
            old |= {k for k, v in expected.items() if v[2] == key}
            old |= {k for k, v in held.items() if v[2] == key}
    if any(table == "tickets" for table, _ in excused):
        # A ticket repeats the payments of its invoice: an old one may still show what went.
        old |= held.keys() - expected.keys()
    return [
        f"marts.payments {key}: {held.get(key)}, the service {expected.get(key)}"
        for key in held.keys() | expected.keys()
        if key not in old and held.get(key) != expected.get(key)
    ]


def _tickets(
    database: duckdb.DuckDBPyConnection, store: ShopStore, theirs: Records, excused: set[Key]
) -> list[str]:
    held = dict(database.execute("select id, is_closed from marts.tickets").fetchall())
    closed = {
        str(one["id"]): not one["in_pipeline"]
        for one in store.all("statuses")
        if one["type"] == "repair"
    }
    expected = {
        key: closed.get(str((record.get("status") or {}).get("id")))
        for (table, key), record in theirs.items()
        if table == "tickets"
    }
    return [
        f"marts.tickets {key}: closed {held.get(key)}, the service {expected.get(key)}"
        for key in held.keys() | expected.keys()
        if ("tickets", key) not in excused and held.get(key) != expected.get(key)
    ]
