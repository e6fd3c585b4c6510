"""Records of all shops in one SQLite file, and the face of one shop on them.

A record is a JSON document with a few indexed columns (see ``resources``). Payments live in their
own table only, so there is one truth about what was paid. They are laid into invoices, orders and
tickets when these are read. Whoever reads or writes has the one connection meanwhile, so no write
is lost. Other processes wait for ``BEGIN IMMEDIATE``.
"""

import sqlite3
import threading
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from sandbox import schema
from sandbox.resources import DOCUMENTS, NUMBERED, RESOURCES, Resource, at, due, of_invoice
from sandbox.values import cents, iso_in, loads

PAID = (*DOCUMENTS, "tickets")
"""Resources whose records show payments."""


class Database:
    """The SQLite file, or a temporary one: one connection, which one thread has at a time.

    ``like``: one whose rows it begins with.
    """

    def __init__(self, path: Path | None = None, like: "Database | None" = None) -> None:
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(
            path or "", isolation_level=None, check_same_thread=False, timeout=60
        )
        if path is not None:
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
        self._connection.execute("PRAGMA cache_size=-32000")
        if like is not None:
            like._connection.backup(self._connection)
        schema.prepare(self._connection)

    def rows(self, sql: str, values: Any = ()) -> list[Any]:
        """All rows that a question finds."""
        with self._lock:
            return self._connection.execute(sql, values).fetchall()

    def one(self, sql: str, *values: object) -> Any:
        """The first row that a question finds, or None."""
        return next(iter(self.rows(sql, values)), None)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Hold one write transaction; nested use joins it; an exception rolls all of it back."""
        with self._lock:
            if self._connection.in_transaction:
                yield self._connection
                return
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See one state of all tables throughout, whatever writers do meanwhile."""
        with self._lock:
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close it; a file that was not asked for is removed."""
        with self._lock:
            self._connection.close()


class ShopStore:
    """One shop's records: reads, and edits as the shop's own staff would make them.

    ``insert``, ``update`` and ``delete`` keep what belongs together together: an invoice's
    payments, its Paid or Due, the ticket's ``invoice``; lists, ``/updated`` and reports follow.
    """

    def __init__(
        self, database: Database, shop: str, timezone: str, now: Callable[[], datetime]
    ) -> None:
        self.database, self.shop, self.zone = database, shop, ZoneInfo(timezone)
        self.now = now
        """The shop's clock."""

    # Reading

    def get(self, resource: str, record_id: object) -> dict[str, Any] | None:
        """Give the record with this id as stored, payments laid in; None if there is none."""
        return self.first(resource, "id = ?", (str(record_id),))

    def all(self, resource: str) -> list[dict[str, Any]]:
        """Every record of a list in the order of insertion, payments laid in."""
        return self.select(resource, "1", (), order="seq")

    def ids(self, resource: str) -> list[str]:
        """Ids as text, in the order of insertion."""
        return [row[0] for row in self._column(resource, "id")]

    def count(self, resource: str) -> int:
        """Number of records of a list."""
        return int(self._column(resource, "count(*)")[0][0])

    def _column(self, resource: str, what: str) -> list[Any]:
        query = f"SELECT {what} FROM {RESOURCES[resource].table} WHERE shop = ? ORDER BY seq"
        return self.database.rows(query, (self.shop,))

    def select(
        self,
        resource: str,
        where: str,
        arguments: Sequence[Any],
        *,
        order: str = "seq",
        limit: int = -1,
        offset: int = 0,
    ) -> list[dict[str, Any]]:
        """Records that match an SQL condition over the table's columns."""
        table = RESOURCES[resource].table
        query = (
            f"SELECT doc FROM {table} WHERE seq IN (SELECT seq FROM {table} "
            f"WHERE shop = ? AND ({where}) ORDER BY {order} LIMIT ? OFFSET ?) ORDER BY {order}"
        )
        rows = self.database.rows(query, (self.shop, *arguments, limit, offset))
        return self.with_payments(resource, [loads(row[0]) for row in rows])

    def first(self, resource: str, where: str, arguments: Sequence[Any]) -> dict[str, Any] | None:
        """First record that matches an SQL condition, or None."""
        found = self.select(resource, where, arguments, limit=1)
        return found[0] if found else None

    def called(self, resource: str, value: object, *, kind: str = "") -> list[dict[str, Any]]:
        """Records with this id or exact label (specification, Errors, 3), of a ``kind`` if need be.
        Several may bear one name, such as models of two brands."""
        kind_of, text = RESOURCES[resource], str(value)
        is_label = " OR ".join(f"{kind_of.sql(name)} = ?" for name in kind_of.label)
        found = self.select(resource, "id = ?", [text])
        found = found or self.select(resource, is_label, [text] * len(kind_of.label))
        return [one for one in found if kind in ("", one.get("type"))]

    def with_payments(self, resource: str, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Lay ``payments`` into invoices, orders and tickets, in one query."""
        if not records or resource not in PAID:
            return records
        column = "ticket_id" if resource == "tickets" else "document_id"
        marks = ",".join("?" * len(records))
        rows = self.database.rows(
            f"SELECT {column}, doc FROM r_payments WHERE shop = ? "
            f"AND {column} IN ({marks}) ORDER BY created, seq",
            (self.shop, *(str(record["id"]) for record in records)),
        )
        paid: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for owner, doc in rows:
            paid[owner].append({k: v for k, v in loads(doc).items() if not k.startswith("_")})
        for record in records:
            record["payments"] = paid[str(record["id"])]
        return records

    # Writing

    def now_text(self) -> str:
        """The shop's clock as a stored timestamp."""
        return iso_in(self.now(), self.zone)

    def load(self, records: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Take over a whole shop from ``(resource, record)`` pairs."""
        with self.database.writing():
            for resource, record in records:
                self._write(resource, record)

    def _write(self, resource: str, record: Mapping[str, Any]) -> None:
        """Keep a record, but for the payments, which have their own table."""
        stored = dict(record)
        if resource in PAID:
            stored.pop("payments", None)
        self.database.rows(*schema.upsert(self.shop, self.zone, RESOURCES[resource], stored))

    def insert(self, resource: str, record: Mapping[str, Any]) -> str:
        """Add a record; id, dates and numbers that are left out are filled in. Gives its id.

        ``payments`` inside an invoice or order become payments of it; without ``status`` Paid or
        Due follows from them.
        """
        kind, now = RESOURCES[resource], self.now_text()
        is_document = resource in DOCUMENTS
        with self.database.writing():
            blank = {"lines": [], "returns": [], "amount_total": 0, "status": "Due"}
            new: dict[str, Any] = {**(blank if is_document else {}), **record}
            new.setdefault("id", self._new_id(kind))
            if not at(new, kind.date):
                new[kind.date] = now
            new.setdefault("_updated", new.get("last_updated") or now)
            new.setdefault("_made", self.now().timestamp())
            if kind.shows_updated:
                new.setdefault("last_updated", new["_updated"])
            if resource == "payments":
                new.setdefault("payment_id", new["id"])
            self._write(resource, new)
            for payment in new.get("payments", ()) if is_document else ():
                self.pay(resource, new, payment)
            self._follow(resource, new, keep="status" in record)
        return str(new["id"])

    def pay(self, resource: str, document: Mapping[str, Any], payment: Mapping[str, Any]) -> str:
        """Take a payment of an invoice or order, by its date where none is said. Gives its id."""
        kind = "return" if cents(payment["amount"]) < 0 else resource.partition("_")[0]
        return self.insert(
            "payments",
            {
                "date": document["created_date"],
                "payment_method": "Cash",
                "payment_note": "",
                "is_advance": False,
                "_kind": {"ticket": "invoice"}.get(kind, kind),
                "_document_id": document["id"],
                "_document_type": resource[:-1],
                "_ticket_id": at(document, "ticket.id"),
                **payment,
            },
        )

    def update(
        self, resource: str, record_id: object, changes: Mapping[str, Any], *, touch: bool = True
    ) -> None:
        """Change fields of a record; ``touch`` marks it as updated now, as staff edits do.

        Raises:
            KeyError: there is no such record.
            ValueError: payments are changed, which have records of their own; see :meth:`pay`.
        """
        if "payments" in changes and resource in PAID:
            raise ValueError("payments are records of their own: store.pay() takes one")
        with self.database.writing():
            record = {**self._known(resource, record_id), **changes}
            if touch and "_updated" not in changes:
                record["_updated"] = self.now_text()
            if "_updated" in record and "last_updated" in record:
                record["last_updated"] = record["_updated"]
            self._write(resource, record)
            self._follow(resource, record, keep="status" in changes)

    def _known(self, resource: str, record_id: object) -> dict[str, Any]:
        record = self.get(resource, record_id)
        if record is None:
            raise KeyError(f"{resource} {record_id}")
        return record

    def delete(self, resource: str, record_id: object) -> None:
        """Remove a record and what only exists with it; shipments move to the deleted ones.

        Raises:
            KeyError: there is no such record.
        """
        with self.database.writing() as connection:
            record = self._known(resource, record_id)
            key = (self.shop, str(record["id"]))
            table = RESOURCES[resource].table
            connection.execute(f"DELETE FROM {table} WHERE shop = ? AND id = ?", key)
            if resource == "shipments":
                now = self.now_text()
                self.insert("shipments_deleted", {**record, "deleted_date": now, "_updated": now})
            elif resource in DOCUMENTS:
                connection.execute("DELETE FROM r_payments WHERE shop = ? AND document_id = ?", key)
                ticket = self.get("tickets", at(record, "ticket.id"))
                if ticket is not None:
                    self.update("tickets", ticket["id"], {"invoice": None}, touch=False)
            elif resource == "payments":
                self._follow(resource, record, keep=False)

    def next_number(self, counter: str, start: int) -> int:
        """Count up a counter of the shop, e.g. of ticket numbers; ``start`` is the first value."""
        with self.database.writing() as connection:
            row = connection.execute(
                "INSERT INTO counters VALUES (?, ?, ?) ON CONFLICT (shop, name) "
                "DO UPDATE SET value = max(value + 1, excluded.value) RETURNING value",
                (self.shop, counter, start),
            ).fetchone()
        return int(row[0])

    def _new_id(self, kind: Resource) -> str | int:
        first = next(iter(self.ids(kind.name)), "") if kind.name in NUMBERED else ""
        if kind.ids == "uuid" and not first.isdecimal():
            return str(uuid.uuid4())
        highest = self._column(kind.name, "max(CAST(id AS INTEGER))")[0][0]
        return self.next_number(kind.name, (highest or 0) + 1)

    def _follow(self, resource: str, record: Mapping[str, Any], *, keep: bool) -> None:
        """Set Paid or Due from the payments, and the ticket's reference to its invoice; ``keep``
        the status as it was given."""
        if resource == "payments":
            for name in DOCUMENTS:
                for document in self.select(name, "id = ?", (str(record.get("_document_id")),)):
                    self._follow(name, document, keep=False)
        if resource not in DOCUMENTS:
            return
        document = self._known(resource, record["id"])
        status = "Paid" if due(document) <= 0 else "Due"
        if not keep and status != document["status"]:
            document["status"] = status
            self._write(resource, document)
        ticket = self.get("tickets", at(document, "ticket.id"))
        if resource == "ticket_invoices" and ticket is not None:
            reference = of_invoice(document)
            if ticket.get("invoice") != reference:
                self.update("tickets", ticket["id"], {"invoice": reference}, touch=False)
