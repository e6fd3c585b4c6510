"""Tonight's answers that contradict each other: payments are told twice, in a list and a document.

A document read again may no longer hold a payment, or a payment is gone that its document still
holds. Either proves the other side out of date, though no report and no ``/updated`` list says so:
reports count documents, not payments. The other side is read again the same night, and the next
night where a repair read the document, instead of when the audit reaches it. So is what names a
customer that is gone: two were merged, which changes no day of a ticket. Only what changed since
``since`` is looked at, so a service whose two lists never agree costs nothing on a night without a
change.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime

from pipelines.home import Home
from sources.repair_shop.ledger import Ledger

_DOCUMENTS: Mapping[str, tuple[str, str]] = {
    "ticket_invoices": ("invoice_id", "invoice_id"),
    "pos_orders": ("order_id", "pos_id"),
}
"""Table of documents -> its id in its nested payments, and in the list of payments."""
_SETTLED = "payments_settled"
"""Ledger key: start of the last run that held payments and documents against each other."""
_MOST_CONTRADICTORY = 0.2
"""Share of nested payments that the list lacks from which the two are not the same payments."""

_STATE = """
WITH held AS (
    SELECT n.{nested} AS document_id, coalesce(n.id, n.payment_id) AS id, n.amount, n.paid_day
    FROM staging.{table}__payments n WHERE n.shop_id = $shop
), listed AS (
    SELECT id, amount, paid_day, {listed} AS document_id, deleted_at
    FROM staging.payments WHERE shop_id = $shop
), fresh AS (
    SELECT id FROM staging.{table}
    WHERE shop_id = $shop AND deleted_at IS NULL AND seen_at >= $since
)
"""
_KNOWN = "SELECT count(*), count(listed.id) FROM held LEFT JOIN listed USING (id)"
_DAYS = """
SELECT held.paid_day, listed.paid_day
FROM held JOIN fresh ON fresh.id = held.document_id LEFT JOIN listed ON listed.id = held.id
WHERE listed.id IS NULL OR listed.deleted_at IS NOT NULL OR listed.amount <> held.amount
    OR listed.paid_day <> held.paid_day
UNION
SELECT listed.paid_day, NULL
FROM listed JOIN fresh ON fresh.id = listed.document_id
WHERE listed.deleted_at IS NULL AND NOT EXISTS (
    SELECT 1 FROM held WHERE held.id = listed.id AND held.document_id = listed.document_id)
"""
_HOLDERS = """
SELECT DISTINCT held.document_id
FROM held JOIN listed USING (id) JOIN staging.{table} d ON d.id = held.document_id
WHERE d.shop_id = $shop AND d.deleted_at IS NULL AND d.seen_at < listed.deleted_at
    AND listed.deleted_at >= $since
"""
_NAMING = """
SELECT d.id FROM staging.{table} d JOIN staging.customers c ON c.id = d.customer_id
WHERE d.shop_id = $shop AND c.shop_id = $shop AND d.deleted_at IS NULL
    AND d.seen_at < c.deleted_at AND c.deleted_at >= $since
"""


def unsettled_since(ledger: Ledger, shop: str) -> datetime:
    """When the first run began whose answers were not held against each other to their end."""
    text = ledger.value(shop, _SETTLED)
    return datetime.fromisoformat(text) if text else datetime(2000, 1, 1, tzinfo=UTC)


def note_settled(ledger: Ledger, shop: str, run_id: int) -> None:
    """Note that what was answered before a run is settled; what it read itself is for the next."""
    ledger.set_value(shop, _SETTLED, ledger.one("run_began", run_id=run_id))


def contradictory_answers(
    home: Home, shop: str, since: datetime
) -> tuple[set[date], dict[str, list[str]]]:
    """Where answers since a moment contradict each other, by what the models hold now: days whose
    payments, and documents and tickets (table -> ids) that have to be read again."""
    days, documents = set[date](), dict[str, list[str]]()
    values = {"shop": shop, "since": since}
    with home.open_build(read_only=True) as database:
        for table, (nested, listed) in _DOCUMENTS.items():
            state = _STATE.format(table=table, nested=nested, listed=listed)
            holders = _HOLDERS.format(table=table)
            [(held, also_listed)] = database.execute(state + _KNOWN, values).fetchall()
            if held - also_listed > held * _MOST_CONTRADICTORY:
                continue
            for found in database.execute(state + _DAYS, values).fetchall():
                days.update(day for day in found if day is not None)
            ids = [str(row[0]) for row in database.execute(state + holders, values).fetchall()]
            documents[table] = sorted(ids)
        for table in (*_DOCUMENTS, "tickets"):
            naming = database.execute(_NAMING.format(table=table), values).fetchall()
            documents.setdefault(table, []).extend(sorted(str(row[0]) for row in naming))
    return days, {table: ids for table, ids in documents.items() if ids}
