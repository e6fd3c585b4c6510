"""Looking up payments: those new on their invoices since before the request was sent."""

from decimal import Decimal, InvalidOperation
from typing import Any

from pipelines.outbox.change import Fields, Rows
from pipelines.outbox.compare import holds
from pipelines.outbox.recent import LookupUnsure, Verdict
from sources.repair_shop.errors import BadAnswer
from sources.repair_shop.http.client import Client
from sources.repair_shop.scan import PAGE_ROWS
from sources.repair_shop.schema.clean import clean_row

_Found = dict[str, dict[str, Any]]


class Payments:
    """Reads the payments of invoices of one shop."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._zone = client.shop.zone

    def baseline(self, body: Fields) -> dict[str, Any]:
        """Ids of the payments there are; ``listed``: as ``GET /payments`` has them, too, because a
        detail embeds none. :class:`NotFound` if an invoice does not exist."""
        payments, whole = self._embedded(body)
        base: dict[str, Any] = {"since": "", "listed": not whole}
        try:
            return base | {"ids": list(payments if whole else payments | self._listed(body))}
        except (LookupUnsure, BadAnswer) as unsure:
            return base | {"ids": [], "unsure": str(unsure)}

    def found(
        self,
        body: Fields,
        marker: str | None,
        known: frozenset[str] = frozenset(),
        is_listed: bool | None = None,
    ) -> tuple[_Found, bool]:
        """Payments of the invoices that are not ``known``, by id; and whether the list of payments
        was asked for them, too: as ``is_listed`` says, else if a detail embeds none.

        A baseline was read so or so: read otherwise, an old payment would look new.
        """
        rows, whole = self._embedded(body)
        is_listed = not whole if is_listed is None else is_listed
        if is_listed:
            rows |= self._listed(body)
        fresh = {key: row for key, row in rows.items() if key not in known}
        noted = marker or any(line.get("paymentNote") for line in body["lines"])
        if noted and fresh and not any(note_of(row) for row in fresh.values()):
            # The list of payments may show the notes that an invoice's detail leaves out.
            listed = self._listed(body)
            fresh = {key: {**row, **listed.get(key, {})} for key, row in fresh.items()}
        return fresh, is_listed

    def _embedded(self, body: Fields) -> tuple[_Found, bool]:
        """Payments of a payment's invoices by id, as the invoices' details embed them; and whether
        every detail does (an empty list is a list)."""
        found: _Found = {}
        whole = True
        for invoice in invoices_of(body):
            record = self._client.get(f"/ticketInvoices/{invoice}").detail()
            payments = clean_row(record, "ticket_invoices", self._zone).get("payments")
            whole = whole and isinstance(payments, list)
            for payment in payments or []:
                found[str(payment.get("id") or payment.get("payment_id"))] = payment
        return found, whole

    def _listed(self, body: Fields) -> _Found:
        """The same payments as ``GET /payments`` has them. One invoice a request: how a list of
        ids is written in a query is not specified."""
        found: _Found = {}
        for invoice in invoices_of(body):
            answer = self._client.get("/payments", {"invoiceId": invoice})
            rows = [clean_row(row, "payments", self._zone) for row in answer.rows()]
            if len(rows) >= PAGE_ROWS:
                raise LookupUnsure("/payments answered a full page for the invoice")
            found |= {str(row["id"]): row for row in rows}
        return found


def find_payment(fresh: Rows, body: Fields, marker: str | None, answered: str | None) -> Verdict:
    """Which of the new payments of an invoice is ours: by its marker, by the id that the service
    answered, by the note that we sent. An equal amount alone may be the till's."""
    if not fresh:
        return Verdict("absent", "the invoice has no payment that was not there before")
    if marker:
        own = {key: row for key, row in fresh.items() if holds(row, marker)}
        if not own:
            return _without_marker(fresh)
        return _by_amount(own, body, "holds our marker")
    for key, row in fresh.items():
        if answered is not None and answered in (key, str(row.get("payment_id"))):
            return _by_amount({key: row}, body, "has the id that the service answered")
    notes = {str(line.get("paymentNote") or "").strip() for line in body["lines"]}
    return _by_amount_alone(fresh, body) if "" in notes else _by_note(fresh, body, notes)


def _by_note(fresh: Rows, body: Fields, notes: set[str]) -> Verdict:
    """Payments of other notes are the till's; one shown without a note may be any."""
    if others := [key for key, row in fresh.items() if note_of(row) and note_of(row) not in notes]:
        named = ", ".join(others)
        return Verdict("unclear", f"payments new on the invoice, of other notes: {named}")
    own = {key: row for key, row in fresh.items() if note_of(row)}
    if own:
        return _by_amount(own, body, "has the note that was sent")
    return _by_amount_alone(fresh, body)


def _by_amount_alone(fresh: Rows, body: Fields) -> Verdict:
    equal = _by_amount(fresh, body, "is new and equals it")
    but = ", but the till may have taken it as well as we" if equal.kind == "applied" else ""
    return Verdict("unclear", equal.found + but)


def _without_marker(fresh: Rows) -> Verdict:
    hidden = [key for key, row in fresh.items() if not note_of(row)]
    if hidden and len(hidden) == len(fresh):
        return Verdict("unclear", f"payments new on the invoice show no note: {', '.join(hidden)}")
    return Verdict("absent", f"none of {len(fresh)} new payments of the invoice holds our marker")


def _by_amount(rows: Rows, body: Fields, why: str) -> Verdict:
    """Whether payments make up what was sent: line by line, or, where one payment is shared
    among invoices, in sum."""
    wanted = sorted(cents(line["amount"]) for line in body["lines"])
    amounts = sorted(cents(row.get("amount")) for row in rows.values())
    shared = len(invoices_of(body)) > 1 and sum(amounts) == sum(wanted)
    named = ", ".join(rows)
    if amounts == wanted or shared:
        return Verdict("applied", f"payment {named} {why}", min(rows))
    return Verdict("unclear", f"payments new on the invoice, of other amounts than sent: {named}")


def note_of(row: Fields) -> str:
    """The note that a payment shows, empty if none."""
    return str(row.get("payment_note") or "").strip()


def invoices_of(body: Fields) -> list[str]:
    """Ids of the invoices a payment is for, each once."""
    found = body["invoiceId"]
    return list(dict.fromkeys(map(str, found if isinstance(found, list) else [found])))


def cents(amount: Any) -> int:
    """Hundredths; an amount that is none is none of ours."""
    try:
        return int((Decimal(str(amount)) * 100).to_integral_value())
    except (InvalidOperation, ValueError, OverflowError):
        return -1
