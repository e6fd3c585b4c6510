"""The office: time clock, expenses, leads, appointments, shipments."""

import datetime as dt
from dataclasses import dataclass

from sandbox.generator.catalogue import Catalogue
from sandbox.generator.context import CLOSES, OPENS, WORDS, Part, Record, money, share
from sandbox.generator.people import People
from sandbox.generator.tickets import Tickets, Visit
from sandbox.resources import short
from specification import LISTS


@dataclass(eq=False)
class Office(Part):
    """Everything that is neither repaired nor sold nor stored."""

    catalogue: Catalogue
    people: People
    tickets: Tickets

    def clock_in(self, day: dt.date) -> None:
        """Emit the time clock's entries of a day; nobody has clocked out of today's last shift."""
        ctx, dice = self.ctx, self.dice
        last = day + dt.timedelta(days=1) >= ctx.end_day
        for user in self.catalogue.made["users"]:
            if user["status"] != "Active" or dice.random() >= ctx.scale.clock_share:
                continue
            came = ctx.at(day, OPENS - 900 + dice.randrange(1500))
            left = ctx.at(day, CLOSES - 1800 + dice.randrange(5400))
            if dice.random() < 0.15:
                left = ctx.at(day, 13 * 3600 + dice.randrange(1800))
            gone = not (last and dice.random() < 0.5)
            ctx.emit(
                "time_clock",
                came,
                left if gone else came,
                user=short(user, "users"),
                in_date=ctx.text(came),
                in_notes=dice.choice(("Morning shift", "Counter", "Bench")),
                out_date=ctx.text(left) if gone else None,
                out_notes="" if gone else None,
            )

    def expenses(self, day: dt.date) -> None:
        """Emit a month's expenses; rent falls on the first."""
        ctx, dice = self.ctx, self.dice
        for index in range(ctx.scale.expenses_a_month):
            rent, *others = self.catalogue.made["expense_categories"]
            category = dice.choice(others) if index else rent
            date = day + dt.timedelta(days=dice.randrange(28) if index else 0)
            if date >= ctx.end_day:
                continue
            amount = dice.randint(*category["_cents"])
            ctx.emit(
                "expenses",
                ctx.open_moment(dice, date),
                reference=f"EXP-{ctx.number('expense'):05d}",
                notes=category["name"] if dice.random() < 0.3 else "",
                category=short(category, "expense_categories"),
                amount=money(amount),
                tax=money(share(amount, 107) if index else 0),
            )

    def lead(self, moment: int) -> None:
        """Somebody asks. Old questions are decided; a quarter is won and becomes a ticket."""
        ctx, dice = self.ctx, self.dice
        person = self.people.person()
        decided = ctx.later(dice, moment, 1 + dice.expovariate(1 / 9))
        status = dice.choice(LISTS["leads"].parameters["status"].values[:8])
        if decided < ctx.end:
            status = dice.choices(("Won", "Lost", status), (28, 52, 20))[0]
        issue = dice.choice(self.catalogue.made["issue_types"])
        business = dice.random() < 0.2
        fields: Record = {
            "id": ctx.uid(),
            **{name: person[name] for name in ("name", "mobile", "email", "address")},
            "business_name": self.people.company() if business else "",
            "subject": dice.choice(WORDS["lead_subjects"]),
            "issue_type": short(issue, "issue_types"),
            "user": short(dice.choice(self.catalogue.made["users"]), "users"),
            "referred_by": dice.choice(WORDS["sources"]),
            "status": status,
            "country_code": ctx.country,
            "gdpr_compliant": dice.random() < 0.6,
            "custom_fields": {"Budget": str(dice.randrange(5, 90) * 10)} if business else {},
        }
        if status == "Won":
            customer = self.people.customer(decided, new=1.0)
            ticket = self.tickets.open(decided, Visit(customer))
            fields |= {"customer": short(customer, "customers"), "ticket": short(ticket, "tickets")}
        ctx.emit("leads", moment, min(decided, ctx.end - 1), **fields)

    def appointment(self, day: dt.date, ticket: Record) -> None:
        """Emit an appointment about a ticket, made a few days ahead; one in eight does not come."""
        ctx, dice = self.ctx, self.dice
        made = min(ctx.open_moment(dice, day), ctx.end - 1)
        starts = day + dt.timedelta(days=1 + dice.randrange(9))
        begin = ctx.at(starts, (9 + dice.randrange(9)) * 3600)
        end = begin + dice.choice((10, 15, 30, 60)) * 60
        status, updated = "Scheduled", made
        if begin < ctx.end:
            status = dice.choices(("Completed", "No Show", "Cancelled"), (80, 13, 7))[0]
            updated = min(end, ctx.end - 1)
        boss, user = self.catalogue.made["users"][0], dice.choice(self.catalogue.made["users"])
        kind = dice.choices(("InShop", "OnSite", "PhoneCall"), (70, 10, 20))[0]
        attendees = [user] if dice.random() < 0.85 or user is boss else [user, boss]
        ctx.emit(
            "appointments",
            made,
            updated,
            subject={"InShop": "Drop-off", "OnSite": "Visit", "PhoneCall": "Call"}[kind],
            type=kind,
            color=dice.choice(("#2a9d8f", "#e9c46a", "#e76f51")),
            location="" if kind != "OnSite" else dice.choice(WORDS["streets"]),
            status=status,
            ticket=short(ticket, "tickets"),
            customer=short(ticket["_customer"], "customers"),
            start_date=ctx.text(begin),
            end_date=ctx.text(end),
            duration=(end - begin) // 60,
            attendees=[short(one, "users") for one in attendees],
        )

    def shipment(self, moment: int, ticket: Record) -> None:
        """Emit a parcel for a ticket; one in eight was deleted again."""
        ctx, dice = self.ctx, self.dice
        sent = min(moment + dice.randrange(3600, 72 * 3600), ctx.end - 1)
        fields: Record = {
            "pin": f"RX{dice.randrange(10**9):09d}GT",
            "carrier": dice.choice(WORDS["carriers"]),
            "status": dice.choice(("Created", "In transit", "Delivered")),
            "ticket": short(ticket, "tickets"),
            "customer": short(ticket["_customer"], "customers"),
        }
        if ctx.number("shipment") % 8 != 2:
            ctx.emit("shipments", sent, **fields)
            return
        gone = min(sent + dice.randrange(600, 86_400), ctx.end - 1)
        ctx.emit("shipments_deleted", sent, gone, **fields, deleted_date=ctx.text(gone))
