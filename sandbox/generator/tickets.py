"""Repair tickets: from the counter to collection, with comments, timers, invoice and payments."""

import datetime as dt
from collections import defaultdict, deque
from dataclasses import dataclass, field

from sandbox.generator.catalogue import Catalogue, Device
from sandbox.generator.context import WORDS, Part, Record, is_open, money
from sandbox.generator.people import People
from sandbox.generator.sales import Documents, Sale, Sold
from sandbox.resources import of_invoice, short

HOUR = 3600


@dataclass(slots=True)
class Visit:
    """Why somebody comes: everything left out is drawn by the dice."""

    customer: Record | None = None
    device: Device | None = None
    issue: Record | None = None
    invoiced_at: int | None = None
    """Fixes the moment of the invoice, and with it that there is one."""
    comeback: bool = False


@dataclass(slots=True)
class _Life:
    """The moments of one ticket, and how it ended."""

    opened: int
    end: str
    done: int
    collected: int
    invoiced: int | None
    steps: list[tuple[int, str]] = field(default_factory=list)


@dataclass(eq=False)
class Tickets(Part):
    """Opens tickets and plays each to its end, or to the shop's last day."""

    catalogue: Catalogue
    people: People
    documents: Documents

    def __post_init__(self) -> None:
        super().__post_init__()
        self._technicians = [
            user
            for user in self.catalogue.made["users"]
            if user["type"] in {"Technician", "Admin"} and user["status"] == "Active"
        ]
        self.comebacks: defaultdict[dt.date, list[Visit]] = defaultdict(list)
        """Repairs that did not hold, by the day on which they come back."""
        self._on_the_bench: deque[tuple[Record, Record]] = deque(maxlen=2)

    def open(self, moment: int, visit: Visit | None = None) -> Record:
        """Emit a ticket opened at a moment, with all that hangs on it; return a reference to it."""
        ctx, dice, catalogue = self.ctx, self.dice, self.catalogue
        visit = visit or Visit()
        customer = visit.customer or self.people.customer(moment)
        device = visit.device or dice.choice(catalogue.devices)
        issues = catalogue.made["issue_types"]
        issue = visit.issue or dice.choices(issues, [one["_weight"] for one in issues])[0]
        number = ctx.number("ticket", 10_001)
        reference = {"id": ctx.uid(), "ticket_ref": f"T-{number}", "ticket_no": str(number)}
        technician = None if dice.random() < 0.06 else dice.choice(self._technicians)
        life = self._life(moment, visit)
        # Where it stands on the shop's last day, and since when.
        updated, status = [step for step in life.steps if step[0] < ctx.end or step[1] == "New"][-1]
        sale = self.documents.sale(self._work(device, issue["_part"], visit))
        invoice: Record | None = None
        if life.invoiced is not None and life.invoiced < ctx.end:
            invoice, touched = self._invoice(reference, customer, life, sale, issue)
            updated = max(updated, touched)
        fields = {}
        if dice.random() < 0.3:
            fields["Passcode"] = f"{dice.randrange(10**4):04d}"
        if issue["label"] == "Water damage":
            fields["Liquid indicator"] = dice.choice(("White", "Pink", "Red"))
        ctx.emit(
            "tickets",
            life.opened,
            updated,
            **reference,
            short_info=f"{issue['label']}: {device.name}",
            description=issue["_fault"] if dice.random() < 0.8 else "",
            device=f"{device.name}|{device.year}",
            device_model_id=device.model["id"],
            status=short(catalogue.statuses[status], "statuses"),
            issue_type=short(issue, "issue_types"),
            priority=dice.choices(("Urgent", "High", "Normal", "Low"), (6, 14, 70, 10))[0],
            customer=short(customer, "customers"),
            technician=technician and short(technician, "users"),
            created_from="Website" if dice.random() < 0.1 else "Shop",
            due_date=ctx.text(life.opened + dice.randint(1, 7) * 24 * HOUR),
            work_approved=status not in {"New", "Waiting on Customer"},
            amount_total=money(sale.total),
            invoice=invoice and of_invoice(invoice),
            lines=sale.lines,
            payments=invoice["payments"] if invoice else [],
            custom_fields=fields,
            _in_pipeline=catalogue.statuses[status]["in_pipeline"],
        )
        self._comments(reference, technician, life)
        self._timers(reference, technician, life)
        if technician is not None and catalogue.statuses[status]["in_pipeline"]:
            self._on_the_bench.append((reference, technician))
        if life.end == "Collected" and life.collected < ctx.end and dice.random() < 0.05:
            day = ctx.day(life.collected) + dt.timedelta(days=dice.randint(2, 27))
            while not is_open(day):
                day += dt.timedelta(days=1)
            self.comebacks[day].append(Visit(customer, device, issue, comeback=True))
        return {**reference, "_customer": customer}

    def _life(self, moment: int, visit: Visit) -> _Life:
        ctx, dice = self.ctx, self.dice
        fate = dice.random()
        end = "Collected" if fate < 0.87 or visit.invoiced_at else "Not Repairable"
        if end != "Collected" and fate > 0.93:
            end = "Cancelled" if fate > 0.95 else "Repaired"
        days = min(dice.lognormvariate(0.6, 1.0), 60.0)
        touched = ctx.later(dice, moment, 0 if dice.random() < 0.6 else 1)
        done = ctx.later(dice, touched, days)
        collected = ctx.later(dice, done, dice.expovariate(0.5))
        invoiced: int | None = None
        if end == "Collected":
            invoiced = collected if dice.random() < 0.7 else done
        if visit.invoiced_at:
            collected = invoiced = visit.invoiced_at
            touched, done = collected - 3 * HOUR, collected - HOUR
        life = _Life(moment, end, done, collected, invoiced)
        life.steps = [(moment, "New"), (touched, "In Progress")]
        if days > 3 and done - touched > 24 * HOUR:
            waiting = "Waiting for Parts" if dice.random() < 0.7 else "Waiting on Customer"
            life.steps.append((touched + (done - touched) // 3, waiting))
        if end in {"Collected", "Repaired"}:
            life.steps.append((done, "Ready for Collection" if dice.random() < 0.5 else "Repaired"))
        if end != "Repaired":  # those are never fetched and stay in the pipeline
            life.steps.append((collected, end))
        return life

    def _work(self, device: Device, category: str, visit: Visit) -> list[Sold]:
        dice, services = self.dice, self.catalogue.services
        sold: list[Sold] = []
        part = device.parts.get(category)
        if part and part.on_hand > 0:
            sold.append(Sold(part, 1))
        sold.append(Sold(dice.choice(services[1:3] if part else services[3:]), 1))
        if dice.random() < 0.18:
            sold.append(Sold(services[0], 1))
        if dice.random() < 0.2:
            extra = dice.choice(self.catalogue.shelf)
            if extra.on_hand > 2:
                sold.append(Sold(extra, 1))
        if (visit.comeback and dice.random() < 0.6) or dice.random() < 0.015:
            for line in sold:  # under warranty: a document of amount zero
                line.cheaper(100)
        elif dice.random() < 0.12:
            dice.choice(sold).cheaper(dice.choice((5, 10, 15)))
        return sold

    def _invoice(
        self, ticket: Record, customer: Record, life: _Life, sale: Sale, issue: Record
    ) -> tuple[Record, int]:
        """Emit the invoice; return it, and the moment of its last change."""
        ctx, dice = self.ctx, self.dice
        created = life.invoiced or life.collected
        record: Record = {
            "id": ctx.uid(),
            "number": f"INV-{ctx.number('invoice', 20_001)}",
            "ticket": {"id": ticket["id"], "ticket_ref": ticket["ticket_ref"]},
            "ticket_no": ticket["ticket_no"],
            "ticket_short_info": issue["label"],
            "customer": short(customer, "customers"),
            "notes": "Thank you" if dice.random() < 0.1 else "",
            "due_date": ctx.text(created + customer["_terms"] * 24 * HOUR),
        }
        if sale.total:
            self._settle(sale, life, created, customer["_terms"])
        return self.documents.finish("ticket_invoices", record, sale, created)

    def _settle(self, sale: Sale, life: _Life, created: int, terms: int) -> None:
        dice, left = self.dice, sale.total
        if created - life.opened > HOUR and dice.random() < 0.18:
            part = left * dice.choice((25, 30, 50)) // 100
            cents = min(left, max(500, part // 100 * 100))
            sale.payments.append((life.opened + 60, cents))
            left -= cents
        mood = dice.random()
        at_once = created + dice.randint(20, 600) if dice.random() < 0.8 else created
        if left:
            sale.payments += self._rest_paid(mood, at_once, left, terms)
        if sale.payments and dice.random() < 0.03:
            latest = max(moment for moment, _ in sale.payments)
            sale.returns = [self.ctx.later(dice, latest, 1 + dice.expovariate(1 / 25))]

    def _rest_paid(self, mood: float, at_once: int, left: int, terms: int) -> list[tuple[int, int]]:
        """How the rest of an invoice is paid: at once, in two, by and by, late, or not at all."""
        ctx, dice = self.ctx, self.dice
        if mood < 0.80 and not terms:
            if dice.random() < 0.05 and left > 1000:
                return [(at_once, left // 2), (at_once, left - left // 2)]
            return [(at_once, left)]
        if mood < 0.93:
            days = terms * 0.6 + dice.expovariate(1 / 14)
            part = left * dice.choice((30, 50, 60)) // 100 if dice.random() < 0.4 else 0
            payments = [(at_once, part)] if part else []
            if dice.random() < 0.88:
                payments.append((ctx.later(dice, at_once, days + 1), left - part))
            return payments
        if mood < 0.97:
            return [(ctx.later(dice, at_once, 1 + dice.expovariate(1 / 40)), left)]
        return []

    def _comments(self, ticket: Record, technician: Record | None, life: _Life) -> None:
        ctx, dice = self.ctx, self.dice
        author = short(technician or self.catalogue.made["users"][0], "users")
        for at, label in life.steps[1:]:
            if at >= ctx.end or dice.random() > 0.4:
                continue
            kind = {"Waiting for Parts": "Part Ordered", "Repaired": "Quality Check"}.get(label)
            kind = kind or dice.choice(("Update", "Diagnosis", "Customer Contacted"))
            ctx.emit(
                "ticket_comments",
                min(at + dice.randint(5, 900), ctx.end - 1),
                ticket=ticket,
                status=short(self.catalogue.statuses[kind], "statuses"),
                type="Public" if kind == "Customer Contacted" else "Private",
                comment=dice.choice(WORDS["comments"][kind]),
                user=author,
            )

    def _timers(self, ticket: Record, technician: Record | None, life: _Life) -> None:
        ctx, dice = self.ctx, self.dice
        if technician is None or dice.random() > 0.55:
            return
        start = life.steps[1][0]
        if start >= ctx.end:
            return
        end = min(start + dice.randint(10, 150) * 60, max(life.done, start + 300))
        notes = "Bench work" if dice.random() < 0.3 else ""
        self._timer(ticket, technician, start, None if end >= ctx.end else end, notes)

    def _timer(
        self, ticket: Record, technician: Record, start: int, end: int | None, notes: str = ""
    ) -> None:
        self.ctx.emit(
            "ticket_timers",
            start,
            end,
            ticket=ticket,
            user=short(technician, "users"),
            start_date=self.ctx.text(start),
            end_date=None if end is None else self.ctx.text(end),
            notes=notes,
        )

    def close(self) -> None:
        """The shop's last evening: somebody's timer runs on."""
        for number, (reference, technician) in enumerate(self._on_the_bench):
            self._timer(reference, technician, self.ctx.end - (number + 6) * HOUR, None)
