"""The office: time clock, expenses, leads, appointments, shipments."""

import datetime as dt
from dataclasses import dataclass

from sandbox.generator.catalogue import Catalogue
from sandbox.generator.context import CLOSES, OPENS, WORDS, Context, Record, money, share
from sandbox.generator.people import Contacts
from sandbox.generator.tickets import Tickets, Visit
from sandbox.resources import short
from specification import LISTS


@dataclass(eq=False)
class Office:
    """Everything that is neither repaired nor sold nor stored."""

    ctx: Context
    catalogue: Catalogue
    contacts: Contacts
    tickets: Tickets

    def __post_init__(self) -> None:
        self._dice = self.ctx.dice("office")

    def clock_in(self, day: dt.date) -> None:
        """Emit the time clock's entries of a day; nobody has clocked out of today's last shift."""
        ctx, dice = self.ctx, self._dice
        last = day + dt.timedelta(days=1) >= ctx.end_day
        for user in self.catalogue.made["users"]:
            if user["status"] != "Active" or dice.random() >= ctx.scale.clock_share:
                continue
            came = ctx.clock.at(day, OPENS - 900 + dice.randrange(1500))
            left = ctx.clock.at(day, CLOSES - 1800 + dice.randrange(5400))
            if dice.random() < 0.15:
                left = ctx.clock.at(day, 13 * 3600 + dice.randrange(1800))
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
        ctx, dice = self.ctx, self._dice
        for index in range(ctx.scale.expenses_a_month):
            chosen = self.catalogue.made["expense_categories"]
            category = chosen[0] if index == 0 else dice.choice(chosen[1:])
            date = day + dt.timedelta(days=0 if index == 0 else dice.randrange(28))
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
        ctx, dice = self.ctx, self._dice
        person = self.contacts.person()
        decided = ctx.later(dice, moment, 1 + dice.expovariate(1 / 9))
        open_still = decided >= ctx.end
        status = dice.choice(LISTS["leads"].parameters["status"].values[:8])
        if not open_still:
            status = dice.choices(("Won", "Lost", status), (28, 52, 20))[0]
        updated = min(decided, ctx.end - 1)
        issue = dice.choice(self.catalogue.made["issue_types"])
        business = dice.random() < 0.2
        fields: Record = {
            "id": ctx.uid(),
            "name": person["name"],
            "business_name": self.contacts.company() if business else "",
            "mobile": person["mobile"],
            "email": person["email"],
            "address": person["address"],
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
            customer = self.contacts.customer(decided, new=1.0)
            ticket = self.tickets.open(decided, Visit(customer))
            fields |= {"customer": short(customer, "customers"), "ticket": short(ticket, "tickets")}
        ctx.emit("leads", moment, updated, **fields)

    def appointment(self, day: dt.date, ticket: Record) -> None:
        """Emit an appointment about a ticket, made a few days ahead; one in eight does not come."""
        ctx, dice = self.ctx, self._dice
        made = min(ctx.open_moment(dice, day), ctx.end - 1)
        starts = ctx.clock.at(
            day + dt.timedelta(days=1 + dice.randrange(9)), (9 + dice.randrange(9)) * 3600
        )
        minutes = dice.choice((10, 15, 30, 60))
        status = "Scheduled"
        updated = made
        if starts < ctx.end:
            status = dice.choices(("Completed", "No Show", "Cancelled"), (80, 13, 7))[0]
            updated = min(starts + minutes * 60, ctx.end - 1)
        user = dice.choice(self.catalogue.made["users"])
        kind = dice.choices(("InShop", "OnSite", "PhoneCall"), (70, 10, 20))[0]
        boss = self.catalogue.made["users"][0]
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
            start_date=ctx.text(starts),
            end_date=ctx.text(starts + minutes * 60),
            duration=minutes,
            attendees=[
                short(one, "users") for one in {one["id"]: one for one in attendees}.values()
            ],
        )

    def shipment(self, moment: int, ticket: Record) -> None:
        """Emit a parcel for a ticket; one in eight was deleted again."""
        ctx, dice = self.ctx, self._dice
        sent = min(moment + dice.randrange(3600, 72 * 3600), ctx.end - 1)
        fields: Record = {
            "pin": f"RX{dice.randrange(10**9):09d}GT",
            "carrier": dice.choice(WORDS["carriers"]),
            "status": dice.choice(("Created", "In transit", "Delivered")),
            "ticket": short(ticket, "tickets"),
            "customer": short(ticket["_customer"], "customers"),
        }
        if ctx.number("shipment") % 8 == 2:
            gone = min(sent + dice.randrange(600, 86_400), ctx.end - 1)
            ctx.emit("shipments_deleted", sent, gone, **fields, deleted_date=ctx.text(gone))
        else:
            ctx.emit("shipments", sent, **fields)
