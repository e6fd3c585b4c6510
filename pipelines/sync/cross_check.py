"""Tonight's answers that contradict what others say, though no report and no change list tells.

Payments are told twice, in their list and in their document. A document read again shows what its
payments are now; where the list tells otherwise, these days of it are read again. What names a
customer that is gone is read again, too: two were merged, which changes no day of a ticket. So the
other side is right the same night instead of when the audit reaches it. Only what changed since
``since`` is looked at, so a service whose two lists never agree costs nothing on a night without a
change. Documents of payments that came or went are read by every run
(:meth:`~sources.repair_shop.extract.ShopFetch.follow`).
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
_NAMING = """
SELECT d.id, c.id FROM staging.{table} d JOIN staging.customers c ON c.id = d.customer_id
WHERE d.shop_id = $shop AND c.shop_id = $shop AND d.deleted_at IS NULL AND c.deleted_at >= $since
ORDER BY 1
"""
_SOLD = """
SELECT DISTINCT p.id FROM staging.{table} d
JOIN staging.{table}__lines l ON l.shop_id = d.shop_id AND l.{nested} = d.id
JOIN staging.products p ON p.shop_id = l.shop_id AND p.{column} = l.{named}
WHERE d.shop_id = $shop AND d.created_at >= $since AND d.deleted_at IS NULL
    AND p.seen_at < d.created_at AND p.deleted_at IS NULL AND p.stock NOTNULL
"""
_PRODUCT = {"id": "product_id", "code": "product_code"}
"""Columns of a product -> those of a line that name it."""


def unsettled_since(ledger: Ledger, shop: str) -> datetime:
    """When the first run began whose answers were not held against each other to their end."""
    text = ledger.value(shop, _SETTLED)
    return datetime.fromisoformat(text) if text else datetime(2000, 1, 1, tzinfo=UTC)


def note_settled(ledger: Ledger, shop: str, run_id: int) -> None:
    """Note that what was answered before a run is settled; what it read itself is for the next."""
    ledger.set_value(shop, _SETTLED, ledger.one("run_began", run_id=run_id))


def contradictory_answers(
    home: Home, ledger: Ledger, shop: str, since: datetime
) -> tuple[set[date], dict[str, list[str]]]:
    """Where answers since a moment contradict each other, by what the models hold now: days whose
    payments, and documents and tickets (table -> ids) that have to be read again."""
    days, documents = set[date](), dict[str, list[str]]()
    values = {"shop": shop, "since": since}
    with home.open_build(read_only=True) as database:
        for table, (nested, listed) in _DOCUMENTS.items():
            state = _STATE.format(table=table, nested=nested, listed=listed)
            [(held, also_listed)] = database.execute(state + _KNOWN, values).fetchall()
            if held - also_listed > held * _MOST_CONTRADICTORY:
                continue
            for found in database.execute(state + _DAYS, values).fetchall():
                days.update(day for day in found if day is not None)
        for table in (*_DOCUMENTS, "tickets"):
            for identity, gone in database.execute(_NAMING.format(table=table), values).fetchall():
                # What was shown since and is as it was, goes on naming who is gone.
                seen = ledger.known_row(shop, table, identity).seen or 0
                if seen < ledger.known_row(shop, "customers", gone).seq:
                    documents.setdefault(table, []).append(identity)
    return days, documents


def products_sold(home: Home, shop: str, since: datetime) -> list[str]:
    """Products with a stock that were sold since a moment and not read after that: a service may
    take what was sold from the stock without a word in its list of changes."""
    found = set[str]()
    with home.open_build(read_only=True) as database:
        for table, (nested, _) in _DOCUMENTS.items():
            for column, named in _PRODUCT.items():
                sql = _SOLD.format(table=table, nested=nested, column=column, named=named)
                rows = database.execute(sql, {"shop": shop, "since": since}).fetchall()
                found.update(str(row[0]) for row in rows)
    return sorted(found)
