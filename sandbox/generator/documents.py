"""Invoices, POS orders, their lines, payments and returns: the arithmetic of the shop.

A line's total is quantity times unit price, minus discount, plus tax; a document's total is the sum
of its lines. A document is Paid when what was paid (refunds count negative) and what was returned
cover the total; otherwise it is Due.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sandbox.generator.context import WORDS, Context, Item, Record, line_of, money, share
from sandbox.resources import at


@dataclass(slots=True)
class Sold:
    """One line of a document being made. Money in cents."""

    item: Item
    quantity: int
    discount: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """How a document will be paid and what comes back."""

    payments: Sequence[tuple[int, int, bool]]
    """Moment, cents, whether it is an advance; may lie after the shop's last day."""
    returns: Sequence[int] = ()
    """Moments of returns."""


class Documents:
    """Writes documents with their payments and returns; keeps the stock's books."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._dice = ctx.dice("documents")
        self._methods = [one["title"] for one in WORDS["settings"]["payment_methods"]]

    def lines(self, sold: Sequence[Sold]) -> tuple[list[Record], int]:
        """The lines as served, and their total in cents."""
        made = [self._line(line, line.quantity) for line in sold]
        return [record for record, _ in made], sum(total for _, total in made)

    def _line(self, line: Sold, quantity: int) -> tuple[Record, int]:
        """So many of a line, and their total, tax included."""
        item, discount = line.item, line.discount * quantity // line.quantity
        net = item.price * quantity - discount
        tax = share(net, item.tax_per_mille)
        amounts = {"discount": discount, "tax": tax, "total": net + tax}
        return line_of(self._ctx, item, quantity, item.price, **amounts), net + tax

    def finish(
        self,
        resource: str,
        record: Record,
        *,
        sold: Sequence[Sold],
        lines: tuple[list[Record], int],
        plan: Plan,
        created: int,
    ) -> tuple[Record, int]:
        """Complete a document with lines, payments, returns and status, and emit all of them.

        ``lines`` are those of :meth:`lines`, with their total. Returns the document, and the moment
        of its last change.
        """
        ctx, total = self._ctx, lines[1]
        for line in sold:
            line.item.move(-line.quantity, created)
        ties = {
            "_kind": "invoice" if resource == "ticket_invoices" else "pos",
            "_document_id": record["id"],
            "_document_type": resource[:-1],
            "_return_id": None,
            "_ticket_id": at(record, "ticket.id"),
        }
        payments: list[Record] = []
        returns: list[Record] = []
        covered, touched = 0, created
        for moment, cents, is_advance in plan.payments:
            if moment >= ctx.end or cents == 0:
                continue
            payments.append(self._payment(moment, cents, ties, is_advance=is_advance))
            covered += cents
            touched = max(touched, moment)
        open_lines = list(sold)
        for moment in plan.returns:
            if moment >= ctx.end or covered < total or total == 0 or not open_lines:
                continue
            line = open_lines.pop(self._dice.randrange(len(open_lines)))
            quantity = self._dice.randint(1, line.quantity)
            back, cents = self._line(line, quantity)
            if cents == 0:
                continue
            number = ctx.number("return")
            given = {
                "id": ctx.uid(),
                "number": f"R-{number:06d}",
                "amount": money(cents),
                "created_date": ctx.text(moment),
                "reason": self._dice.choice(WORDS["return_reasons"]),
                "lines": [back],
            }
            returns.append(given)
            refund = {**ties, "_kind": "return", "_return_id": given["id"]}
            payments.append(self._payment(moment, -cents, refund))
            touched = max(touched, moment)
            line.item.move(quantity, moment)
        made = ctx.emit(
            resource,
            created,
            touched,
            **record,
            status="Paid" if covered >= total else "Due",
            amount_total=money(total),
            tax_total=sum((line["tax"] for line in lines[0]), money(0)),
            lines=lines[0],
            payments=payments,
            returns=returns,
        )
        return made, touched

    def _payment(
        self, moment: int, cents: int, ties: Record, *, is_advance: bool = False
    ) -> Record:
        """Emit a payment; the returned copy is what its document embeds."""
        number = self._ctx.number("payment", 1001)
        cash = self._dice.random()
        method = self._methods[0 if cash < 0.45 else 1 if cash < 0.88 else 2 if cash < 0.96 else 3]
        made = self._ctx.emit(
            "payments",
            moment,
            id=number,
            payment_id=number,
            amount=money(cents),
            payment_method=method,
            payment_note="",
            is_advance=is_advance,
            **ties,
        )
        return {name: value for name, value in made.items() if not name.startswith("_")}
