"""A seeded, believable repair shop: every list of the specification, record by record.

Data flow: arguments -> dice -> records; nothing is read, nothing written. The same arguments give
the same records in the same order, whatever the machine or the day. Shapes are the field notes';
amounts are ``Decimal`` with two places; timestamps carry the shop's offset. Keys that begin with
``_`` are for the server and never served:

``_updated``        when the record last changed (every record)
``_in_pipeline``    tickets: whether the default list shows it
``_kind``           payments: ``invoice``, ``pos`` or ``return``
``_document_id``    payments: id of the invoice or POS order it belongs to, refunds too
``_document_type``  payments: ``ticket_invoice`` or ``pos_order``
``_return_id``      payments of kind ``return``: id of the return inside that document
``_ticket_id``      payments: id of the invoice's ticket, if it has one

``custom_fields`` and ``xsell_upsell`` of a record are served only with their include flags.
"""

import datetime as dt
from collections.abc import Iterator
from typing import Any
from zoneinfo import ZoneInfo

from sandbox.generator.catalogue import Catalogue
from sandbox.generator.context import LAST_SECOND, SCALES, Context, Size, is_open
from sandbox.generator.office import Office
from sandbox.generator.people import People
from sandbox.generator.sales import Counter, Documents, awkward_moments
from sandbox.generator.stockroom import LINES_A_COUNT, Stockroom
from sandbox.generator.tickets import Tickets, Visit

__all__ = ["DEFAULT_UNTIL", "SCALES", "Size", "generate"]

DEFAULT_UNTIL = dt.date(2026, 7, 17)
"""``until`` when none is given; a fixed day, so that the data never depend on the wall clock."""


def generate(
    *, seed: int, size: Size, shop: str, timezone: str, until: dt.date | None = None, **how: Any
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield ``(resource, record)`` for a whole shop: ``RESOURCES`` and one ``info``.

    ``timezone`` is an IANA name, ``how`` are switches of :class:`Context`. The shop's last day of
    business is the day before ``until``: no record lies in the future of someone who passes today
    (but appointments and due dates may).
    Raises ``ZoneInfoNotFoundError`` (a ``KeyError``) for an unknown zone and ``KeyError`` for an
    unknown size. Records come roughly by date, in bounded memory; payments of a document come
    before it. Nested parts are shared between records (a ticket's lines are its invoice's): take
    them as read-only.
    """
    end = until or DEFAULT_UNTIL
    days = [end - dt.timedelta(days=left) for left in range(SCALES[size].days, 0, -1)]
    ctx = Context(seed, shop, SCALES[size], ZoneInfo(timezone), days[0], end, **how)
    everybody = _Shop(ctx, timezone)
    weights = [_busyness(day, n / len(days)) for n, day in enumerate(days)]
    whole = sum(weights)
    for day, weight in zip(days, weights, strict=True):
        everybody.live(day, weight / whole)
        yield from ctx.out
        ctx.out.clear()
    everybody.close()
    yield from ctx.out


def _busyness(day: dt.date, age: float) -> float:
    """How much is going on, relative to the shop's mean day.

    ``age`` is 0 on the shop's first day and 1 on its last: business grows by the factor 2.2.
    """
    if not is_open(day):
        return 0.0
    weekday = (1.2, 1.0, 0.95, 1.0, 1.15, 0.85)[day.weekday()]
    season = (1.1, 0.9, 0.95, 1.0, 1.0, 0.95, 0.85, 0.8, 1.1, 1.0, 1.1, 1.35)[day.month - 1]
    return weekday * season * (0.625 + 0.75 * age)


class _Shop:
    """Everybody who works in a shop, and what a day there brings."""

    def __init__(self, ctx: Context, timezone: str) -> None:
        self.ctx = ctx
        self.opening = ctx.at(ctx.first, 6 * 3600)
        ctx.emit(
            "info",
            self.opening,
            name=ctx.shop,
            currency=ctx.currency,
            country_code=ctx.country,
            timezone=timezone,
            email=f"hello@{''.join(c for c in ctx.shop.lower() if c.isalnum())}.example.com",
        )
        people = People(ctx, self.opening)
        self.catalogue = Catalogue(ctx, people)
        documents = Documents(ctx)
        self.tickets = Tickets(ctx, self.catalogue, people, documents)
        self.counter = Counter(ctx, self.catalogue, people, documents)
        self.stockroom = Stockroom(ctx, self.catalogue)
        self.office = Office(ctx, self.catalogue, people, self.tickets)
        self.dice = ctx.dice("days")
        self.awkward = awkward_moments(ctx)

    def live(self, day: dt.date, share: float) -> None:
        """One day, with its ``share`` of the shop's whole business."""
        ctx, scale = self.ctx, self.ctx.scale
        self.stockroom.open(day)
        if day.day == 1 or day == ctx.first:
            self.office.expenses(day)
        self._awkward_sales(day)
        if is_open(day):
            self.office.clock_in(day)
        self._visits(day, share)
        for moment in sorted(self._moments(day, scale.pos_orders, share)):
            self.counter.sell(moment)
        for _ in range(self._drawn(scale.leads, share)):
            self.office.lead(ctx.open_moment(self.dice, day))
        self._stock(day, share)

    def close(self) -> None:
        """The last evening."""
        self.stockroom.close()
        self.catalogue.emit_products()
        self.tickets.close()

    def _drawn(self, total: float, share: float) -> int:
        return int(total * share + self.dice.random())

    def _moments(self, day: dt.date, total: float, share: float) -> list[int]:
        return [self.ctx.open_moment(self.dice, day) for _ in range(self._drawn(total, share))]

    def _awkward_sales(self, day: dt.date) -> None:
        for number, moment in enumerate(self.awkward.get(day, ())):
            self.counter.sell(moment)
            opened = max(moment - 5 * 3600, self.opening)
            if number % 2 == 0 and moment - opened > 4 * 3600:
                self.tickets.open(opened, Visit(invoiced_at=moment))

    def _visits(self, day: dt.date, share: float) -> None:
        ctx, scale = self.ctx, self.ctx.scale
        moments = self._moments(day, scale.tickets, share)
        visits = [Visit() for _ in moments]
        for visit in self.tickets.comebacks.pop(day, []):
            moments.append(ctx.open_moment(self.dice, day))
            visits.append(visit)
        for moment, visit in sorted(zip(moments, visits, strict=True), key=lambda pair: pair[0]):
            ticket = self.tickets.open(moment, visit)
            if self.dice.random() < scale.appointments / scale.tickets:
                self.office.appointment(day, ticket)
            if ctx.number("counter ticket") % 20 == 5:
                self.office.shipment(moment, ticket)

    def _stock(self, day: dt.date, share: float) -> None:
        ctx = self.ctx
        if self._drawn(ctx.scale.rows / 250, share):
            self.stockroom.mishap(ctx.open_moment(self.dice, day))
        if day.weekday() in {0, 3}:
            self.stockroom.order(day)
        if day.day == 28 and day.month % 3 == 0:
            evening = ctx.at(day, LAST_SECOND - 4 * 3600)
            known = [item for item in self.catalogue.items if item.created < evening]
            few = self.dice.sample(known, min(LINES_A_COUNT, len(known)))
            self.stockroom.count(evening, few, adjust=True)
