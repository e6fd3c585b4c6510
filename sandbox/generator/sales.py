"""Invoices, POS orders, their lines, payments and returns: the arithmetic of the shop.

A line's total is quantity times unit price, minus discount, plus tax; a document's total is the sum
of its lines. A document is Paid when what was paid (refunds count negative) and what was returned
cover the total; otherwise it is Due.
"""

import datetime as dt
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from sandbox.generator.catalogue import Catalogue, Item, line_of
from sandbox.generator.context import WORDS, Context, Part, Record, last_of_month, money
from sandbox.generator.people import People
from sandbox.resources import at, short


def awkward_moments(ctx: Context) -> dict[dt.date, list[int]]:
    """Moments at which a careless report goes wrong, by the shop's day.

    The last second of every month and the first of the next; in each night that changes the clock
    one second before, the first second after, and both runs of an hour that is repeated.
    """
    found: defaultdict[dt.date, list[int]] = defaultdict(list)
    for nth in range(ctx.scale.days + 1):
        day = ctx.first + dt.timedelta(days=nth)
        begins, ends = (ctx.at(one, 0) for one in (day, day + dt.timedelta(days=1)))
        moments = [ends - 1, ends] if day == last_of_month(day) else []
        if forward := 86_400 - (ends - begins):
            after = ctx.local(ends).utcoffset()
            quarters = range(begins, ends + 1, 900)
            change = next(one for one in quarters if ctx.local(one).utcoffset() == after)
            moments += [change - 1, change]
            if forward < 0:
                moments += [change + forward // 2, change - forward // 2]
        for moment in sorted(moments):
            if ctx.at(ctx.first, 0) <= moment < ctx.end:
                found[ctx.day(moment)].append(moment)
    return dict(found)


@dataclass(slots=True)
class Sold:
    """One line of a document being made. Money in cents."""

    item: Item
    quantity: int
    discount: int = 0

    def cheaper(self, per_cent: int) -> None:
        """Take that much off."""
        self.discount = self.item.price * self.quantity * per_cent // 100


@dataclass(slots=True)
class Sale:
    """A document being made: its lines, how it will be paid and what comes back."""

    sold: list[Sold]
    lines: list[Record]
    total: int
    payments: list[tuple[int, int]] = field(default_factory=list)
    """Moment and cents; one before the document is an advance, one after the last day not yet."""
    returns: list[int] = field(default_factory=list)
    """Moments of returns."""


class Documents(Part):
    """Writes documents with their payments and returns; keeps the stock's books."""

    def sale(self, sold: list[Sold]) -> Sale:
        """A sale with its lines as served, and their total."""
        made = [self._line(line, line.quantity) for line in sold]
        return Sale(sold, [record for record, _ in made], sum(total for _, total in made))

    def _line(self, line: Sold, quantity: int) -> tuple[Record, int]:
        """So many of a line, and their total, tax included."""
        discount = line.discount * quantity // line.quantity
        return line_of(self.ctx, line.item, quantity, line.item.price, discount)

    def finish(self, resource: str, record: Record, sale: Sale, created: int) -> tuple[Record, int]:
        """Complete a document with lines, payments, returns and status, and emit all of them.

        Returns the document, and the moment of its last change.
        """
        ctx, total = self.ctx, sale.total
        for line in sale.sold:
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
        for moment, cents in sale.payments:
            if moment >= ctx.end or cents == 0:
                continue
            payments.append(self._payment(moment, cents, is_advance=moment < created, **ties))
            covered += cents
            touched = max(touched, moment)
        open_lines = list(sale.sold)
        for moment in sale.returns:
            if moment >= ctx.end or covered < total or total == 0 or not open_lines:
                continue
            line = open_lines.pop(self.dice.randrange(len(open_lines)))
            quantity = self.dice.randint(1, line.quantity)
            back, cents = self._line(line, quantity)
            if cents == 0:
                continue
            number = ctx.number("return")
            given = {
                "id": ctx.uid(),
                "number": f"R-{number:06d}",
                "amount": money(cents),
                "created_date": ctx.text(moment),
                "reason": self.dice.choice(WORDS["return_reasons"]),
                "lines": [back],
            }
            returns.append(given)
            refund = ties | {"_kind": "return", "_return_id": given["id"]}
            payments.append(self._payment(moment, -cents, is_advance=False, **refund))
            touched = max(touched, moment)
            line.item.move(quantity, moment)
        made = ctx.emit(
            resource,
            created,
            touched,
            **record,
            status="Paid" if covered >= total else "Due",
            amount_total=money(total),
            tax_total=sum((line["tax"] for line in sale.lines), money(0)),
            lines=sale.lines,
            payments=payments,
            returns=returns,
        )
        return made, touched

    def _payment(self, moment: int, cents: int, **more: Any) -> Record:
        """Emit a payment; the returned copy is what its document embeds."""
        number = self.ctx.number("payment", 1001)
        cash = self.dice.random()
        nth = 0 if cash < 0.45 else 1 if cash < 0.88 else 2 if cash < 0.96 else 3
        method = WORDS["settings"]["payment_methods"][nth]["title"]
        made = self.ctx.emit(
            "payments",
            moment,
            id=number,
            payment_id=number,
            amount=money(cents),
            payment_method=method,
            payment_note="",
            **more,
        )
        return {name: value for name, value in made.items() if not name.startswith("_")}


@dataclass(eq=False)
class Counter(Part):
    """Sells over the counter."""

    catalogue: Catalogue
    people: People
    documents: Documents

    def sell(self, moment: int) -> None:
        """Emit a POS order made at a moment, with its payments and perhaps a later return."""
        ctx, dice = self.ctx, self.dice
        sold: list[Sold] = []
        for item in dice.sample(self.catalogue.shelf, dice.choice((1, 1, 1, 2, 2, 3))):
            quantity = 1 if item.serialised or dice.random() < 0.85 else 2
            if item.on_hand >= quantity:
                sold.append(Sold(item, quantity))
        if not sold:
            sold.append(Sold(self.catalogue.services[0], 1))
        mood = dice.random()
        nth = ctx.number("pos_order")
        if nth % 50 == 25:  # given away: a document of amount zero
            for line in sold:
                line.cheaper(100)
        elif mood < 0.1:
            dice.choice(sold).cheaper(dice.choice((5, 10, 20)))
        known = dice.random() < 0.3
        customer = self.people.customer(moment, new=0.2) if known else None
        sale = self.documents.sale(sold)
        record: Record = {
            "id": ctx.uid(),
            "number": f"POS-{ctx.number('pos', 5_001)}",
            "customer": customer and short(customer, "customers"),
            "notes": "Gift wrapped" if dice.random() < 0.03 else "",
            "due_date": ctx.text(moment),
        }
        if sale.total:
            self._settle(sale, moment, nth)
        self.documents.finish("pos_orders", record, sale, moment)

    def _settle(self, sale: Sale, moment: int, nth: int) -> None:
        ctx, dice, total = self.ctx, self.dice, sale.total
        mood = dice.random()
        if mood < 0.94:
            sale.payments = [(moment, total)]
        elif mood < 0.97:
            later = ctx.later(dice, moment, 1 + dice.randrange(20))
            sale.payments = [(moment, total // 2), (later, total - total // 2)]
        elif mood < 0.985:
            sale.payments = [(ctx.later(dice, moment, 2 + dice.randrange(40)), total)]
        if not sale.payments:
            return
        paid = sale.payments[-1][0]
        if nth % 25 == 10:  # surely in a later month than the sale
            sale.returns = [ctx.later(dice, paid, 32 + dice.randrange(20))]
        elif dice.random() < 0.03:
            sale.returns = [ctx.later(dice, paid, 1 + dice.expovariate(1 / 16))]
