"""Finds out what the service counts as a sale and as a purchase, by trying every sensible meaning.

The specification names the reports and not what they count ("GET /monthlySales"). So the months
the service reported (``ops.service_reports``) are compared, in one query over the facts and with
nothing rebuilt, with the totals of each definition (``intermediate.int_sales_by_definition``,
``int_purchases_by_definition``). :func:`judge` says what the comparison is worth; :func:`store`
keeps a choice for the shop, which the next build of the models follows.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

import duckdb

Report = Literal["sales", "purchases"]

_DEFAULTS: Mapping[Report, Mapping[str, str]] = {
    "sales": {
        "date_basis": "document", "amount_basis": "gross", "returns": "return_day",
        "documents": "all",
    },
    "purchases": {
        "date_basis": "received", "amount_basis": "gross", "shipping": "with",
        "expenses": "without", "documents": "all",
    },
}  # fmt: skip
"""The definitions that hold until one is chosen, their parts in the order of a definition's key."""

_VIEWS: Mapping[Report, tuple[str, str]] = {
    "sales": ("int_sales_by_definition", "int_sales_definitions"),
    "purchases": ("int_purchases_by_definition", "int_purchase_definitions"),
}
_SOME = ("paid_or_due", "ticket_invoice", "pos_order")
"""Rules that leave documents out by their kind."""
_MONTHS_FOR_CERTAINTY = 6
_SQL = """
with theirs as (
    select period, total
    from ops.service_reports
    where shop_id = $shop and report = $report and total is not null
),
ours as (
    select definition, month, total from intermediate.{view} where shop_id = $shop
),
-- A definition that finds nothing at all is still compared with every month.
pairs as (
    select keys.definition, theirs.period, theirs.total as theirs, coalesce(ours.total, 0) as ours
    from intermediate.{keys} as keys
    cross join theirs
    left join ours on ours.definition = keys.definition and ours.month = theirs.period
)
select
    definition,
    sum(case when abs(ours - theirs) <= 0.005 then 1 else 0 end) as agreeing,
    count(*) as compared,
    sum(case when theirs <> 0 then 1 else 0 end) as telling,
    sum(abs(ours - theirs)) as difference
from pairs
group by 1
"""


@dataclass(frozen=True)
class Candidate:
    """One definition and how well it fits the service's own months."""

    report: Report
    definition: dict[str, str]
    """What is stored when it is chosen: part of the definition -> choice."""
    agreeing: int
    """Months that agree to the cent."""
    compared: int
    """Months the service reported."""
    telling: int
    """Months in which the service reported anything but zero."""
    difference: Decimal
    """Sum of the months' absolute differences, in the shop's currency."""

    @property
    def key(self) -> str:
        """The definition in one word, e.g. ``document/gross/return_day/all``."""
        return "/".join(self.definition.values())

    @property
    def fits(self) -> bool:
        """Whether every month agrees."""
        return self.agreeing == self.compared


@dataclass(frozen=True)
class Verdict:
    """What the comparison of all definitions comes to."""

    report: Report
    closest: Candidate | None
    """The best one, whether it agrees everywhere or not."""
    rivals: tuple[Candidate, ...]
    """Other definitions that agree everywhere too: the data cannot tell them apart."""
    certainty: Literal["sure", "likely", "undecided", "none", "no data"]
    message: str

    @property
    def chosen(self) -> Candidate | None:
        """The definition to use; ``None`` when none agrees in every month."""
        return self.closest if self.closest and self.closest.fits else None


def calibrate(
    connection: duckdb.DuckDBPyConnection, shop_id: str, report: Report
) -> list[Candidate]:
    """Every definition with its fit to the service's months, best first.

    Among equals the definition in use comes first, then the default, then the plainer ones. Those
    that round each document fit wherever the plain ones do, so they are left out there. Empty when
    the service's reports were never read.
    """
    view, keys = _VIEWS[report]
    sql = _SQL.format(view=view, keys=keys)
    rows = connection.execute(sql, {"shop": shop_id, "report": f"monthly_{report}"}).fetchall()
    in_use, default = current(connection, shop_id, report), _DEFAULTS[report]
    found = [
        Candidate(report, dict(zip(default, key.split("/"), strict=True)), *fit)
        for key, *fit in rows
    ]

    def order(one: Candidate) -> tuple[object, ...]:
        unlike = sum(one.definition[part] != choice for part, choice in default.items())
        return -one.agreeing, one.difference, one.definition != in_use, unlike, one.key

    plain = [one for one in found if not one.definition["amount_basis"].endswith("_rounded")]
    return sorted(plain if any(one.fits for one in plain) else found, key=order)


def judge(candidates: Sequence[Candidate], report: Report) -> Verdict:
    """Say which definition to take, how sure that is, or that none fits and which is closest.

    ``candidates`` are those of ``report``, as :func:`calibrate` gives them.
    """
    if not candidates or candidates[0].telling == 0:
        message = f"The service reported no {report} yet, so no definition can be tried."
        return Verdict(report, None, (), "no data", message)
    best = candidates[0]
    if not best.fits:
        message = (
            f"No definition of {report} agrees with the service in all {best.compared} months. "
            f"The closest, {best.key}, agrees in {best.agreeing} and is off by "
            f"{best.difference:.2f} in total. Nothing was changed. 'shopmirror doctor' tells "
            "whether the time zone is the shop's. 'shopmirror reconcile' names the documents that "
            "differ: what they have in common is the rule that is missing."
        )
        return Verdict(report, best, (), "none", message)
    # Where all documents count, that some kinds of them do as well says that there are no others.
    rivals = tuple(
        one
        for one in candidates[1:]
        if one.fits and (one.definition.get("documents") not in _SOME or best.key.endswith(_SOME))
    )
    months = f"{best.telling} months with figures"
    if rivals:
        others = "does another one" if len(rivals) == 1 else f"do {len(rivals)} others"
        message = (
            f"{best.key} agrees with the service's {report} in every month, as {others}: "
            f"{months} do not tell them apart yet."
        )
        return Verdict(report, best, rivals, "undecided", message)
    message = f"Only {best.key} agrees with the service's {report} in every month ({months})."
    is_sure = best.telling >= _MONTHS_FOR_CERTAINTY
    return Verdict(report, best, (), "sure" if is_sure else "likely", message)


def counted_otherwise(
    connection: duckdb.DuckDBPyConnection, shop_id: str, differing: Collection[str]
) -> str:
    """What to do where months differ and another definition agrees in all of them; else empty.

    ``differing`` are the names of reports, such as ``monthly_sales``.
    """
    reports: tuple[Report, ...] = ("sales", "purchases")
    try:
        found = [
            judge(calibrate(connection, shop_id, report), report)
            for report in reports
            if f"monthly_{report}" in differing
        ]
    except duckdb.CatalogException:
        return ""  # a project of the analyst's own may lack the definitions
    told = [verdict.message for verdict in found if verdict.chosen is not None]
    return " ".join([*told, "'shopmirror reconcile --calibrate' takes it over."] if told else [])


def store(connection: duckdb.DuckDBPyConnection, shop_id: str, candidate: Candidate) -> None:
    """Keep the choice for the shop; the next build of the models follows it.

    Raises ``ValueError`` when ``ops.shops`` does not know the shop.
    """
    column = f"{candidate.report}_definition"
    changed = connection.execute(
        f"update ops.shops set {column} = ? where shop_id = ? returning shop_id",  # noqa: S608 - one of two names
        [json.dumps(candidate.definition), shop_id],
    ).fetchall()
    if not changed:
        raise ValueError(f"There is no shop '{shop_id}' in the warehouse.")


def current(connection: duckdb.DuckDBPyConnection, shop_id: str, report: Report) -> dict[str, str]:
    """The definition in use for a shop: the stored one, else the default."""
    found = connection.execute(
        f"select {report}_definition from ops.shops where shop_id = ?",  # noqa: S608 - one of two names
        [shop_id],
    ).fetchone()
    stored = json.loads(found[0]) if found and found[0] else {}
    default = _DEFAULTS[report]
    return {part: str(stored.get(part) or choice) for part, choice in default.items()}
