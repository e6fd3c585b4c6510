"""Customers and everybody else with a name: scripts of the world, companies, regulars."""

import unicodedata

from sandbox.generator.context import WORDS, Context, Part, Record, money
from sandbox.resources import short

REMEMBERED = 6_000
"""How many customers may come back; bounds the memory of a large shop."""


class People(Part):
    """Invents people and companies; keeps the customers who may come back."""

    def __init__(self, ctx: Context, opening: int) -> None:
        super().__init__(ctx)
        self._regulars: list[Record] = []
        self._groups: list[Record] = []
        for name, per_cent in (("Retail", 0), ("Business", 5), ("School", 10), ("Staff", 20)):
            person = self.person()
            group = ctx.emit(
                "groups",
                opening,
                name=name,
                billing_name=person["name"],
                billing_mobile=person["mobile"],
                billing_email=person["email"],
                discount=money(per_cent * 100),
            )
            self._groups.append(group)

    def person(self) -> Record:
        """Somebody new: a name, and where to reach who bears it."""
        dice = self.dice
        scripts = WORDS["scripts"]
        script = dice.choices(scripts, [one["weight"] for one in scripts])[0]
        given, family = (dice.choice(script[part].split()) for part in ("given", "family"))
        name = f"{family}{given}" if "family_first" in script else f"{given} {family}"
        plain = unicodedata.normalize("NFKD", f"{given}.{family}").encode("ascii", "ignore")
        local = "".join(c for c in plain.decode().lower() if c.isalnum() or c == ".").strip(".")
        number = self.ctx.number("person")
        return {
            "first_name": given,
            "last_name": family,
            "name": name,
            "email": f"{local or 'client'}{number}@example.{dice.choice(('com', 'org', 'net'))}",
            "mobile": f"{self.ctx.dial} 555{dice.randrange(10**5):05d}",
            "address": f"{dice.choice(WORDS['streets'])} {dice.randint(1, 180)}",
        }

    def company(self) -> str:
        """The name of some company."""
        return " ".join(self.dice.choice(WORDS[part]) for part in ("companies", "company_forms"))

    def customer(self, moment: int, *, new: float = 0.55) -> Record:
        """A reference to a customer who comes at a moment; with that probability a new one.

        A new customer is emitted. ``_terms`` (days to pay) is not for serving.
        """
        dice = self.dice
        if self._regulars and dice.random() >= new:
            return dice.choice(self._regulars)
        reference = self._new(moment)
        if len(self._regulars) < REMEMBERED:
            self._regulars.append(reference)
        else:
            self._regulars[dice.randrange(REMEMBERED)] = reference
        return reference

    def _new(self, moment: int) -> Record:
        ctx, dice = self.ctx, self.dice
        person = self.person()
        business = dice.random() < 0.12
        company = self.company() if business else ""
        city, code = dice.choice(WORDS["cities"])
        number = ctx.number("customer")
        created = moment - dice.randrange(30, 400)
        updated = created
        if dice.random() < 0.2:
            updated = min(created + dice.randrange(86_400, 300 * 86_400), ctx.end - 1)
        terms = 30 if business and dice.random() < 0.7 else 0
        group = self._groups[1 if business else 0]
        if dice.random() < 0.05:
            group = dice.choice(self._groups)
        consent = dice.random() < 0.7
        fields: Record = {}
        if dice.random() < 0.25:
            fields["Preferred language"] = dice.choice(("es", "en", "de"))
        if dice.random() < 0.1:
            fields["Loyalty card"] = f"L{dice.randrange(10**8):08d}"
        country = ctx.country
        made = ctx.emit(
            "customers",
            created,
            updated,
            internal_id=number,
            name=person["name"],
            email=person["email"] if dice.random() < 0.8 else "",
            mobile=person["mobile"],
            company=company,
            ref=f"C{number:06d}",
            name_parts={
                name: person.get(name, "") for name in ("first_name", "middle_name", "last_name")
            },
            invoiceemail=f"billing{number}@example.com" if business else "",
            vat_registration_number=f"{country}{dice.randrange(10**8):08d}" if business else "",
            fulladdress={
                "address": person["address"],
                "city": city,
                "post_code": code,
                "country": country,
            },
            group=group["name"],
            type="Business" if business else "Person",
            gender=dice.choice(("Female", "Male", "Not Specified")),
            referred_by=dice.choice(WORDS["sources"]),
            payment_term_days=terms,
            country_code=country,
            credit_limit=money(dice.randrange(50, 500) * 1000) if terms else None,
            gdpr_compliant=consent,
            sub_sms_service=consent and dice.random() < 0.6,
            sub_email_marketing=consent and dice.random() < 0.4,
            sub_email_notifications=consent,
            custom_fields=fields,
        )
        return {**short(made, "customers"), "_terms": terms}
