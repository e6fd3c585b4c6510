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

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any
from zoneinfo import ZoneInfo

from sandbox.generator.catalogue import Catalogue
from sandbox.generator.context import Context
from sandbox.generator.counter import Counter, awkward_moments
from sandbox.generator.documents import Documents
from sandbox.generator.office import Office
from sandbox.generator.people import Contacts
from sandbox.generator.scale import SCALES, Size
from sandbox.generator.shop_time import LAST_SECOND, ShopClock, busyness, is_open
from sandbox.generator.stockroom import LINES_A_COUNT, Stockroom
from sandbox.generator.tickets import Tickets, Visit

__all__ = ["DEFAULT_UNTIL", "RESOURCES", "SCALES", "Size", "generate"]

DEFAULT_UNTIL = dt.date(2026, 7, 17)
"""``until`` when none is given; a fixed day, so that the data never depend on the wall clock."""

RESOURCES: tuple[str, ...] = (
    "users",
    "tax_rates",
    "payment_methods",
    "time_clock",
    "appointments",
    "customers",
    "groups",
    "tickets",
    "ticket_comments",
    "ticket_timers",
    "statuses",
    "presets",
    "preset_categories",
    "issue_types",
    "ticket_invoices",
    "pos_orders",
    "payments",
    "products",
    "warranties",
    "models",
    "model_groups",
    "categories",
    "brands",
    "stock_count",
    "stock",
    "serials",
    "adjustments",
    "suppliers",
    "purchase_orders",
    "expenses",
    "expense_categories",
    "leads",
    "custom_fields",
    "shipments",
    "shipments_deleted",
)
"""The 35 lists, in the order of the specification's endpoint tables."""


def generate(
    *, seed: int, size: Size, shop: str, timezone: str, until: dt.date | None = None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield ``(resource, record)`` for a whole shop: ``RESOURCES`` and one ``info``.

    ``timezone`` is an IANA name. The shop's last day of business is the day before ``until``: no
    record lies in the future of someone who passes today (but appointments and due dates may).
    Raises ``ZoneInfoNotFoundError`` (a ``KeyError``) for an unknown zone and ``KeyError`` for an
    unknown size. Records come roughly by date, in bounded memory; payments of a document come
    before it. Nested parts are shared between records (a ticket's lines are its invoice's): take
    them as read-only.
    """
    scale = SCALES[size]
    end = until or DEFAULT_UNTIL
    first = end - dt.timedelta(days=scale.days)
    clock = ShopClock(ZoneInfo(timezone), first, end)
    ctx = Context(seed=seed, shop=shop, scale=scale, clock=clock, first=first, end=end)
    for _ in _days(ctx, timezone):
        yield from ctx.out
        ctx.out.clear()


def _days(ctx: Context, timezone: str) -> Iterator[None]:
    """Live through the shop's days; pause whenever records are ready."""
    opening = ctx.clock.at(ctx.first, 6 * 3600)
    ctx.emit(
        "info",
        {
            "id": ctx.uid(),
            "name": ctx.shop,
            "currency": ctx.country.currency,
            "country_code": ctx.country.code,
            "timezone": timezone,
            "email": f"hello@{''.join(c for c in ctx.shop.lower() if c.isalnum())}.example.com",
            "created_date": ctx.text(opening),
            "_updated": ctx.text(opening),
        },
    )
    contacts = Contacts(ctx)
    contacts.emit_groups(opening)
    catalogue = Catalogue(ctx, contacts)
    documents = Documents(ctx, catalogue.methods)
    tickets = Tickets(ctx, catalogue, contacts, documents)
    counter = Counter(ctx, catalogue, contacts, documents)
    stockroom = Stockroom(ctx, catalogue)
    office = Office(ctx, catalogue, contacts, tickets)
    yield

    dice = ctx.dice("days")
    days = [ctx.first + dt.timedelta(days=n) for n in range(ctx.scale.days)]
    weights = [busyness(day, n / len(days)) for n, day in enumerate(days)]
    whole = sum(weights)
    awkward = awkward_moments(ctx)

    def drawn(total: float, weight: float) -> int:
        return int(total * weight / whole + dice.random())

    for day, weight in zip(days, weights, strict=True):
        stockroom.arrivals(day)
        stockroom.deliveries(day)
        if day.day == 1 or day == ctx.first:
            office.expenses(day)
        for number, moment in enumerate(awkward.get(day, ())):
            counter.sell(moment)
            if number % 2 == 0:
                opened = max(moment - 5 * 3600, opening)
                if moment - opened > 4 * 3600:
                    tickets.open(opened, Visit(invoiced_at=moment))
        if is_open(day):
            office.clock_in(day)
        moments = [ctx.open_moment(dice, day) for _ in range(drawn(ctx.scale.tickets, weight))]
        visits = [Visit() for _ in moments]
        for visit in tickets.due_comebacks(day):
            moments.append(ctx.open_moment(dice, day))
            visits.append(visit)
        for moment, visit in sorted(zip(moments, visits, strict=True), key=lambda pair: pair[0]):
            ticket = tickets.open(moment, visit)
            if dice.random() < ctx.scale.appointments / ctx.scale.tickets:
                office.appointment(day, ticket)
            if ctx.number("counter ticket") % 20 == 5:
                office.shipment(moment, ticket)
        for moment in sorted(
            ctx.open_moment(dice, day) for _ in range(drawn(ctx.scale.pos_orders, weight))
        ):
            counter.sell(moment)
        for _ in range(drawn(ctx.scale.leads, weight)):
            office.lead(ctx.open_moment(dice, day))
        if drawn(ctx.scale.rows / 250, weight):
            stockroom.mishap(ctx.open_moment(dice, day))
        if day.weekday() in {0, 3}:
            stockroom.order(day)
        if day.day == 28 and day.month % 3 == 0:
            evening = ctx.clock.at(day, LAST_SECOND - 4 * 3600)
            known = [item for item in catalogue.items if item.created < evening]
            few = dice.sample(known, min(LINES_A_COUNT, len(known)))
            stockroom.count(evening, few, adjust=True)
        yield
    stockroom.close()
    catalogue.emit_products()
    yield
