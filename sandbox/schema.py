"""Tables of the sandbox's SQLite file, made from the table of resources."""

import sqlite3
from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from sandbox.resources import RESOURCES, Resource, at
from sandbox.values import cents, dumps, epoch, format_day

VERSION = 2

_OTHERS = """
CREATE TABLE IF NOT EXISTS counters (shop TEXT, name TEXT, value INTEGER, PRIMARY KEY (shop, name));
CREATE TABLE IF NOT EXISTS shops (
    shop TEXT PRIMARY KEY, timezone TEXT NOT NULL, key_hash TEXT UNIQUE);
"""
_FIXED = ("shop", "id", "created", "created_day", "updated", "updated_day")


class NewerFile(Exception):
    """The file was written by a later version of the sandbox; nothing was changed in it."""


def prepare(connection: sqlite3.Connection) -> None:
    """Make the tables that are missing, and teach SQLite what the filters need.

    Raises:
        NewerFile: the file's version is above ours.
    """
    connection.create_function("has", 2, _has, deterministic=True)
    connection.create_function("dmy", 1, _dmy, deterministic=True)
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise NewerFile(f"the file is of version {version}, this sandbox reads up to {VERSION}")
    if version == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    for kind in RESOURCES.values():
        extra = "".join(f", {name}" for name in kind.columns)
        connection.execute(
            f"CREATE TABLE IF NOT EXISTS {kind.table} (seq INTEGER PRIMARY KEY AUTOINCREMENT, "
            "shop TEXT NOT NULL, id TEXT NOT NULL, created INTEGER, created_day TEXT, "
            f"updated INTEGER, updated_day TEXT{extra}, doc TEXT NOT NULL, UNIQUE (shop, id))"
        )
        for columns in ("created", "created_day", "updated", *kind.columns):
            connection.execute(
                f"CREATE INDEX IF NOT EXISTS {kind.table}_{columns} "
                f"ON {kind.table} (shop, {columns})"
            )
    for statement in filter(str.strip, _OTHERS.split(";")):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def _has(text: object, needle: str) -> bool:
    """Search in any script."""
    return text is not None and needle in str(text).casefold()


def _dmy(day: str | None) -> str | None:
    """A day as dd-mmm-yyyy."""
    return format_day(date.fromisoformat(day)) if day else None


def upsert(
    shop: str, zone: ZoneInfo, kind: Resource, record: Mapping[str, Any]
) -> tuple[str, tuple[Any, ...]]:
    """What keeps a record, in columns and as a document; one whose id is there keeps its place."""
    created = _moment(at(record, kind.date))
    updated = _moment(record.get("_updated") or record.get("last_updated")) or created
    row = (
        shop,
        str(record["id"]),
        epoch(created, zone),
        created[:10] if created else None,
        epoch(updated, zone),
        updated[:10] if updated else None,
        *(_column(name, at(record, path)) for name, path in kind.columns.items()),
        dumps(record),
    )
    return _upsert(kind.name), row


@cache
def _upsert(resource: str) -> str:
    kind = RESOURCES[resource]
    names = (*_FIXED, *kind.columns, "doc")
    sets = ",".join(f"{name} = excluded.{name}" for name in names)
    return (
        f"INSERT INTO {kind.table} ({','.join(names)}) VALUES ({','.join('?' * len(names))}) "
        f"ON CONFLICT (shop, id) DO UPDATE SET {sets}"
    )


def _moment(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _column(name: str, value: Any) -> Any:
    if name.endswith("cents"):
        return cents(value)
    if name.endswith("_day"):
        return str(value)[:10] if value else None
    if value is None or isinstance(value, bool):
        return value
    return str(value)
