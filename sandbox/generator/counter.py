"""The shop counter: POS orders, and the documents made at awkward moments."""

import datetime as dt
from collections import defaultdict
from dataclasses import dataclass

from sandbox.generator.catalogue import Catalogue
from sandbox.generator.context import Context, Record
from sandbox.generator.documents import Documents, Plan, Sold
from sandbox.generator.people import Contacts
from sandbox.generator.shop_time import DAY, LAST_SECOND, last_of_month
from sandbox.resources import short


def awkward_moments(ctx: Context) -> dict[dt.date, list[int]]:
    """Moments at which a careless report goes wrong, by the shop's day.

    The last second of every month and the first of the next; in each night that changes the clock
    one second before, the first second after, and both runs of an hour that is repeated.
    """
    moments: list[int] = []
    day = ctx.first
    while day < ctx.end_day:
        last = last_of_month(day)
        moments += [ctx.clock.at(last, LAST_SECOND), ctx.clock.at(last, LAST_SECOND) + 1]
        day = last + dt.timedelta(days=1)
    start = ctx.clock.at(ctx.first, 0)
    for moment, forward in ctx.clock.transitions(start - DAY, ctx.end + DAY):
        moments += [moment - 1, moment]
        if forward < 0:
            moments += [moment + forward // 2, moment - forward // 2]
    found: defaultdict[dt.date, list[int]] = defaultdict(list)
    for moment in sorted(moments):
        if start <= moment < ctx.end:
            found[ctx.clock.day(moment)].append(moment)
    return dict(found)


@dataclass(eq=False)
class Counter:
    """Sells over the counter; such a sale makes no ticket."""

    ctx: Context
    catalogue: Catalogue
    contacts: Contacts
    documents: Documents

    def __post_init__(self) -> None:
        self._dice = self.ctx.dice("counter")

    def sell(self, moment: int) -> None:
        """Emit a POS order made at a moment, with its payments and perhaps a later return."""
        ctx, dice = self.ctx, self._dice
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
                line.discount = line.item.price * line.quantity
        elif mood < 0.1:
            line = dice.choice(sold)
            line.discount = line.item.price * line.quantity * dice.choice((5, 10, 20)) // 100
        known = dice.random() < 0.3
        customer = self.contacts.customer(moment, new=0.2) if known else None
        lines = self.documents.lines(sold)
        record: Record = {
            "id": ctx.uid(),
            "number": f"POS-{ctx.number('pos', 5_001)}",
            "customer": customer and short(customer, "customers"),
            "notes": "Gift wrapped" if dice.random() < 0.03 else "",
            "due_date": ctx.text(moment),
        }
        plan = self._plan(moment, lines[1], nth)
        self.documents.finish(
            "pos_orders", record, sold=sold, lines=lines, plan=plan, created=moment
        )

    def _plan(self, moment: int, total: int, nth: int) -> Plan:
        ctx, dice = self.ctx, self._dice
        if total == 0:
            return Plan(())
        mood = dice.random()
        payments: list[tuple[int, int, bool]] = []
        if mood < 0.94:
            payments.append((moment, total, False))
        elif mood < 0.97:
            first = total // 2
            payments.append((moment, first, False))
            payments.append((ctx.later(dice, moment, 1 + dice.randrange(20)), total - first, False))
        elif mood < 0.985:
            payments.append((ctx.later(dice, moment, 2 + dice.randrange(40)), total, False))
        returns: list[int] = []
        if payments and nth % 25 == 10:  # surely in a later month than the sale
            returns.append(ctx.later(dice, payments[-1][0], 32 + dice.randrange(20)))
        elif payments and dice.random() < 0.03:
            returns.append(ctx.later(dice, payments[-1][0], 1 + dice.expovariate(1 / 16)))
        return Plan(payments, returns)
